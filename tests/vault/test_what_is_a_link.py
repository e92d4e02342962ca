"""What is a link. Each test cites the rule of `docs/links.md` it holds; vaults stand in the test."""

import json

import pytest

NONE = []


def test_a_wikilink_has_a_target_then_a_heading_then_a_text(missing):
    """Rule 1."""
    found = missing({"a.md": "[[x]] [[y#h|t]] ![[z|t]] [[a|x]]\n"})
    assert found == [("a.md", 1, "x"), ("a.md", 1, "y"), ("a.md", 1, "z")]


def test_an_embed_says_so(look):
    """Rule 1."""
    assert [f.embed for f in look({"a.md": "![[x]] [[y]] ![p](q.png)\n"}).findings] == [True, False, True]


def test_only_two_brackets_end_a_link(missing):
    """Rule 2."""
    assert missing({"a.md": "[[Sq]uare]] [[no]pe]]\n", "Sq]uare.md": ""}) == [("a.md", 1, "no]pe")]


@pytest.mark.parametrize("text", ["[[a [[b]] c]]", "[[x [[b]]", "![[[b]]", "![[[b|t]][r]]", "[[[b]]]"])
def test_of_nested_pairs_the_inner_one_is_the_link(missing, text):
    """Rule 3."""
    assert missing({"n.md": text}) == [("n.md", 1, "b")]


@pytest.mark.parametrize(
    "text", ["[[two\nlines]]", "> [[two\n> lines]]", "[[two\r\nlines]]", "[[a|two\nlines]]"]
)
def test_a_line_break_makes_it_no_link(missing, text):
    """Rule 4."""
    assert missing({"n.md": text}) == NONE


def test_the_target_ends_at_the_first_bar_then_at_the_first_hash(look):
    """Rule 5."""
    found = look({"n.md": "[[x#one#two|a|b#c]]\n"}).findings
    assert [(f.target, f.subpath) for f in found] == [("x", "one#two")]


def test_the_backslash_of_a_table_is_not_part_of_the_name(missing):
    """Rule 6."""
    text = "| a | b |\n|---|---|\n| [[n\\|x]] | ![[gone\\|100]] |\n[[n\\|x]]\n"
    assert missing({"n.md": text}) == [("n.md", 3, "gone")]


def test_a_size_is_a_text_and_a_page_is_no_heading(look):
    """Rule 7."""
    files = {"n.md": "![[p.pdf#page=3]] ![[p.pdf#height=400]] ![[i.png|100x145]]\n", "p.pdf": "", "i.png": ""}
    assert look(files, anchors=True).findings == ()


def test_markdown_links_images_and_brackets_count_and_a_space_makes_none(missing):
    """Rule 8."""
    text = '[a](x.md) [b](<y z.md>) ![c](w.png "title") [d](v u.md)\n'
    assert missing({"n.md": text}) == [("n.md", 1, "x.md"), ("n.md", 1, "y z.md"), ("n.md", 1, "w.png")]


def test_a_reference_link_is_reported_once_and_where_it_is_defined(look):
    """Rule 8."""
    found = look({"n.md": "[one][r] [two][R]\n\n[r]: gone.md\n[unused]: gone-too.md\n"}).findings
    assert [(f.line, f.target, f.raw) for f in found] == [(3, "gone.md", "[r]: gone.md")]


@pytest.mark.parametrize(
    "address",
    [
        "http://x.y/a.md",
        "https://x.y",
        "mailto:x@y.z",
        "obsidian://open?vault=x",
        "file:///x.md",
        "zotero://x",
        "x1+y:z",
    ],
)
def test_an_address_with_a_scheme_is_elsewhere(missing, address):
    """Rule 9."""
    assert (
        missing({"n.md": f"[x]({address}) ![y](<{address}>) [z][r] <{address}>\n\n[r]: {address}\n"}) == NONE
    )


def test_an_address_in_a_wikilink_is_reported_and_tagged(look):
    """Rule 10."""
    found = look({"n.md": "[[https://example.com]] [[plain]]\n"}).findings
    assert [(f.target, f.tags) for f in found] == [("https://example.com", ("url",)), ("plain", ())]


@pytest.mark.parametrize(
    "code",
    [
        "```\n[[x]]\n```",
        "~~~dataview\n[[x]]\n~~~",
        "```ad-note\n[[x]]\n```",
        "`[[x]]`",
        "``a ` [[x]]``",
        "```\n[[x]]",
    ],
)
def test_code_holds_no_links(missing, code):
    """Rule 11."""
    assert missing({"n.md": f"before\n\n{code}\n"}) == NONE


def test_indented_code_holds_no_links(missing):
    """Rule 12."""
    assert missing({"n.md": "text\n\n    [[x]]\n\n- item\n    [[y]]\n"}) == [("n.md", 6, "y")]


def test_links_in_comments_count_and_say_where_they_are(look):
    """Rule 13."""
    text = "[[a]] %% [[b]] %% [[c]] `%%`\n\n%%\n[[d]]\n\n[[e]]\n%%\n\n[[f]] 50%% [[g]]\n"
    found = {f.target: f.place for f in look({"n.md": text}).findings}
    comments = {target for target, place in found.items() if place == "comment"}
    assert comments == {"b", "d", "e"}
    assert set(found) == set("abcdefg")


def test_html_hides_links_in_blocks_and_comments_but_not_in_lines(missing):
    """Rule 14."""
    text = "<div>\n[[a]]\n</div>\n\n<!-- [[b]] -->\n\nx <b>[[c]]</b> <!-- [[d]] -->\n"
    assert missing({"n.md": text}) == [("n.md", 7, "c")]


def test_math_holds_no_links_and_prices_are_no_math(missing):
    """Rule 15."""
    text = "$x [[a]] y$\n\n$$\n[[b]]\n$$\n\nfrom $5 [[c]] to $6\n"
    assert missing({"n.md": text}) == [("n.md", 7, "c")]


def test_a_link_in_a_footnote_counts_once_and_a_footnote_defines_no_link(missing):
    """Rule 16."""
    assert missing({"n.md": "text[^1]\n\n[^1]: [[x]]\n"}) == [("n.md", 3, "x")]


def test_links_count_in_headings_callouts_tables_lists_quotes_and_fields(missing):
    """Rule 17."""
    text = "# [[a]]\n> [!note] [[b]]\n> [[c]]\n\n- [ ] [[d]]\n\nkey:: [[e]]\n\n| [[f]] |\n|---|\n| x |\n"
    assert [target for _, _, target in missing({"n.md": text})] == list("abcdef")


def test_a_quoted_property_is_a_link_alone_and_in_lists(look):
    """Rule 18."""
    text = '---\na: "[[x]]"\nb:\n  - \'[[y|t]]\'\n  - ["[[z#h]]"]\nc: {d: "[[w]]"}\n---\n[[body]]\n'
    found = look({"n.md": text}).findings
    assert [(f.line, f.target, f.place) for f in found] == [
        (2, "x", "property"),
        (4, "y", "property"),
        (5, "z", "property"),
        (6, "w", "property"),
        (8, "body", "body"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "k: [[x]]",
        'k: "see [[x]]"',
        'k: "[[x]] and [[y]]"',
        '"[[x]]": v',
        'k: "[t](x.md)"',
        "k: # [[x]]",
        'k: "[[[x]]"',
    ],
)
def test_other_properties_are_no_links(missing, line):
    """Rules 19 and 20."""
    assert missing({"n.md": f"---\n{line}\n---\n"}) == NONE


def test_a_canvas_shows_files_by_path_and_holds_markdown(look):
    """Rule 21."""
    nodes = [
        {"type": "file", "file": "d/n.md"},
        {"type": "file", "file": "n.md"},
        {"type": "text", "text": "[[n]] [[x]] `[[code]]` [l](y.md)"},
        {"type": "link", "url": "https://example.com"},
        {"type": "group", "label": "[[label]]"},
    ]
    files = {"b.canvas": json.dumps({"nodes": nodes}), "d/n.md": ""}
    found = look(files).findings
    assert [(f.line, f.target, f.place, f.tags) for f in found] == [
        (0, "n.md", "canvas", ("canvas",)),
        (0, "x", "canvas", ("canvas",)),
        (0, "y.md", "canvas", ("canvas",)),
    ]


def test_a_stored_search_prompt_names_no_file(look):
    """Rule 22."""
    files = {"n.md": "# There\n[[##There]] [[## gone]] [[^^gone]]\n"}
    assert look(files).findings == ()
    assert [f.kind for f in look(files, anchors=True).findings] == ["missing-heading", "missing-block"]


def test_an_escaped_bracket_makes_no_link(missing):
    """Rule 23."""
    assert missing({"n.md": "\\[\\[x]] \\[[y]] \\[z](w.md)\n"}) == NONE


@pytest.mark.parametrize("target", ["<% tp.file.title %>", "{{title}}", "{{date}} notes"])
def test_a_placeholder_is_reported_and_tagged(look, target):
    """Rule 24."""
    assert [(f.target, f.tags) for f in look({"n.md": f"[[{target}]]\n"}).findings] == [
        (target, ("template",))
    ]


def test_lines_are_counted_over_properties_marks_and_both_line_ends(look):
    text = '\ufeff---\r\nk: "[[p]]"\r\n---\r\n\r\nx\r\n[[q]] [[r]]\r\n'
    assert [(f.line, f.target) for f in look({"n.md": text}).findings] == [(2, "p"), (6, "q"), (6, "r")]


def test_a_rule_in_the_text_begins_no_properties(missing):
    assert missing({"n.md": 'x\n---\nk: "[[y]]"\n---\n'}) == [("n.md", 3, "y")]
    assert missing({"n.md": '---\nk: "[[y]]"\nno end\n'}) == [("n.md", 2, "y")]
