"""What a person reads when an app wrote mrkdwn."""

from __future__ import annotations

import pytest
import pytest_asyncio
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

READ = {  # mrkdwn → what stands on the page of Member 1 (London, English)
    "*4 typos* · _not_ ~yet~": "<strong>4 typos</strong> · <em>not</em> <s>yet</s>",
    "*Next:* the report": "<strong>Next:</strong> the report",
    "(*bold*), *bold*.": "(<strong>bold</strong>), <strong>bold</strong>.",
    "が*差し戻し*ました": "が*差し戻し*ました",
    "*差し戻し* ました": "<strong>差し戻し</strong> ました",
    "2*3*4 and snake_case_name": "2*3*4 and snake_case_name",
    "* not bold * and *not\nbold*": "* not bold * and *not\nbold*",
    "*_both_*": "<strong><em>both</em></strong>",
    "** and ~~": "** and ~~",
    "`a *b* &lt;c&gt;`": "<code>a *b* &lt;c&gt;</code>",
    "```x = *1*\ny```": "<pre>x = *1*\ny</pre>",
    "``` never closed": "``` never closed",
    "&lt;!channel&gt; &amp;lt; &amp;amp;": "&lt;!channel&gt; &amp;lt; &amp;amp;",
    "&gt; said\nand on": "<blockquote>said</blockquote>and on",
    "<https://example.org/a?b=1&amp;c=2|the page>": '<a href="https://example.org/a?b=1&amp;c=2">the page</a>',
    "see https://example.org/a, please": 'see <a href="https://example.org/a">https://example.org/a</a>, please',
    "<javascript:alert(1)|press>": "&lt;javascript:alert(1)|press&gt;",
    "<data:text/html,x|press>": "&lt;data:text/html,x|press&gt;",
    "<@U0MEMBER2> and <@U0NOBODY>": "<span>@Member 2</span> and <span>@U0NOBODY</span>",
    "*<@U0MEMBER2> approved* it": "<strong><span>@Member 2</span> approved</strong> it",
    "<#C0NOTES> <#C0UNKNOWN|far>": "<span>#notes-care</span> <span>#far</span>",
    "<!here> <!date^x|no date>": "<span>@here</span> &lt;!date^x|no date&gt;",
    "<!date^1796101500^{date_num} {time}|14:05>": "<time>2026-12-01 05:05</time>",
    "<!date^1796101500^{unknown}|14:05>": "<time>14:05</time>",
    "<!date^1796101500^at {time}^https://example.org/|then>": '<a href="https://example.org/"><time>at 05:05</time></a>',
    "a < b and b > a": "a &lt; b and b &gt; a",
    "two  blanks\nnext line": "two  blanks\nnext line",
    "<b>*x*</b>": "&lt;b&gt;<strong>x</strong>&lt;/b&gt;",
}
# Our own page decides classes and how links open; here only the tags and what they hold matter.
PLAIN = """node => {
  const copy = node.cloneNode(true);
  for (const part of copy.querySelectorAll("*"))
    for (const {name} of [...part.attributes]) if (name !== "href") part.removeAttribute(name);
  return copy.innerHTML;
}"""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def reading(chromium):
    """Every line of READ as a message in one channel; returns what stands on the page for a line."""
    async with Emulator() as slack:
        slack.rates.clear()
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        stamps = {}
        for written in READ:
            block = {"type": "section", "text": {"type": "mrkdwn", "text": written}}
            posted = await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[block])
            stamps[written] = posted["ts"]
        context = await chromium.new_context()
        page = await context.new_page()
        await page.goto(slack.page_url)
        await page.click("[data-user=U0MEMBER1]")

        async def read(written: str) -> str:
            return await page.locator(f'#channel [data-ts="{stamps[written]}"] .text').evaluate(PLAIN)

        yield read
        await context.close()


@pytest.mark.parametrize("written", READ)
async def test_mrkdwn_is_read_as_slack_reads_it(reading, written):
    assert await reading(written) == READ[written]


async def test_verbatim_text_links_no_bare_address(slack, client, visit):
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "https://example.org", "verbatim": True}}
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[block])
    page = await visit("U0MEMBER1", "C0NOTES")
    assert await page.locator(".messages .text").inner_text() == "https://example.org"
    assert await page.locator(".messages a").count() == 0


async def test_a_time_is_shown_in_the_zone_and_language_of_who_looks(slack, client, visit):
    text = "<!date^1796101500^{date} {time}|some time>"
    await client.chat_postMessage(channel="C0NOTES", text=text)
    london, tokyo = await visit("U0MEMBER1", "C0NOTES"), await visit("U0MEMBER2", "C0NOTES")
    assert await london.locator(".messages .text").inner_text() == "December 1, 2026 05:05"
    assert await tokyo.locator(".messages .text").inner_text() == "2026年12月1日 14:05"
