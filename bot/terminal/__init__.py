"""The terminal: the same runs as in Slack, in text."""
