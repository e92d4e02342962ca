"""Check the links of a folder of notes, ask a person, record what was decided."""
