"""Write a synthetic Obsidian vault of N notes, together with the exact list of its broken links.

    python bench/make_vault.py OUT --notes 10000 --seed 7

OUT is the vault (it must not exist or must be empty). Beside it the script writes OUT.truth.jsonl, one JSON object
per broken link:

    {"file": "...", "line": 12, "target": "...", "kind": "typo", "near": "..."}

`file` is the note's path relative to OUT in NFC, `line` is 1-based, `target` is the link's path part as a reader
sees it (NFC, percent-decoded, without heading and display text), `kind` says how the link was broken, and `near` is
the existing note the writer meant, where there is one. A checker is right when its findings, as
(file, line, target), are this set and nothing else. The same arguments always give the same bytes.

What the vault contains:
  * folders three levels deep, dated daily notes, and a few base names that occur in many folders;
  * Japanese names (kana with voicing marks, kanji, full-width characters), some stored on disk in NFD as macOS
    tools do, while every link is written in NFC;
  * links whose targets follow a Zipf law, in all the usual spellings: bare, alias, heading, folder path, path
    suffix, relative, other capitals, with .md, Markdown with %20 or <...>, image embeds with a size, table cells
    with an escaped pipe, quoted properties, %% comments;
  * text that looks like a broken link and is none: fenced, inline and indented code, web addresses, hidden folders;
  * canvas files whose file nodes point at notes.
"""

from __future__ import annotations

import argparse
import bisect
import json
import random
import sys
import unicodedata
from collections import Counter
from pathlib import Path

EN = (  # noqa: SIM905 - a hundred quoted words read worse
    "alpha anchor archive atlas bridge budget canvas carbon cedar change circuit "
    "climate cloud coffee compass copper culture delta design diary ember engine "
    "essay field filter forest fragment garden glacier habit harbor history index "
    "island journal kernel language ledger lemon library market matrix meadow "
    "meeting memory method mirror module mountain museum music narrative network "
    "notebook ocean orbit outline paper pattern planet poem practice project "
    "question quiet recipe record reflection research river rocket sample season "
    "signal sketch social source spiral story stream summary system theory ticket "
    "travel tutorial update valley vector version village vision weather window "
    "winter wonder workshop"
).split()
JA = (  # noqa: SIM905 - the same
    "会議 メモ 設計 日記 読書 開発 手順 調査 計画 記録 予算 企画 議事録 レビュー "
    "プロジェクト データベース ガイド ビジネス デザイン プログラム バグ ゲーム ドメイン "
    "ブログ グラフ パターン ポイント ページ ピアノ べんきょう ごはん がっこう ざっし "
    "ぱんだ ほげ ふが 東京 大阪 旅行 料理 音楽 映画 家計 健康 仕事 個人 週報 月報 "
    "ＡＰＩ ２０２４ ｶﾀｶﾅ 第一回 振り返り 採用 請求書 契約 顧客 製品 障害 運用 移行"
).split()
JOIN_JA = ["", "", "の", "・", " ", "　", "-"]
EMOJI = ["🌱 ", "📚 ", "🗂️ ", "✅ "]
FOLDERS = [
    "Projects",
    "Areas",
    "Resources",
    "Archive",
    "プロジェクト",
    "領域",
    "資料",
    "保管",
    "Inbox",
    "Library",
    "Work",
    "Home",
]
SHARED_NAMES = ["README", "index", "メモ", "Overview"]
FILLER = [
    "The point of this note is to keep one idea in one place.",
    "この段落は本文の量をそろえるための文で、特別な意味はない。",
    "Numbers below are rough and were checked once.",
    "あとで見直すときに迷わないよう、理由も書いておく。",
    "See the list for what changed and what did not.",
    "手順は上から順に進めればよく、途中で止めても構わない。",
    "An array like x[0][1] or f(a)[b] is not a link.",
    "A bracket [like this] and a task box are not links either.",
]


def nfc(s):
    return unicodedata.normalize("NFC", s)


class Names:
    """Hands out file names that differ even when case and form are ignored."""

    def __init__(self, rng, japanese):
        self.rng = rng
        self.japanese = japanese
        self.seen = set()

    def fresh(self):
        r = self.rng
        while True:
            if r.random() < self.japanese:
                name = r.choice(JOIN_JA).join(r.sample(JA, r.choice((2, 2, 3))))
            else:
                words = r.sample(EN, r.choice((2, 3, 3, 4)))
                name = " ".join(words)
                if r.random() < 0.5:
                    name = name.title()
            if r.random() < 0.02:
                name = r.choice(EMOJI) + name
            if r.random() < 0.03:
                name += f" v{r.randint(1, 9)}.{r.randint(0, 9)}"
            key = nfc(name).lower()
            if key in self.seen:
                name = f"{name} {r.randint(2, 10**6)}"
                key = nfc(name).lower()
                if key in self.seen:
                    continue
            self.seen.add(key)
            return nfc(name)


class Zipf:
    """Draws indices 0..n-1 with weight 1/(i+1)**s."""

    def __init__(self, rng, n, s):
        self.rng = rng
        total, self.cum = 0.0, []
        for i in range(1, n + 1):
            total += i**-s
            self.cum.append(total)

    def draw(self):
        return bisect.bisect_left(self.cum, self.rng.random() * self.cum[-1])


def misspell(rng, name):
    """One edit: drop, double, swap or insert, never returning `name`."""
    for _ in range(20):
        i = rng.randrange(len(name))
        how = rng.random()
        if how < 0.3 and len(name) > 3:
            out = name[:i] + name[i + 1 :]
        elif how < 0.55:
            out = name[:i] + name[i] + name[i:]
        elif how < 0.8 and i + 1 < len(name):
            out = name[:i] + name[i + 1] + name[i] + name[i + 2 :]
        else:
            out = name[:i] + ("の" if ord(name[i]) > 0x2FFF else "e") + name[i:]
        out = nfc(out).strip()
        if out and out != name and not out.startswith("."):
            return out
    return name + " x"


def swap_case(rng, s):
    return s.lower() if rng.random() < 0.5 else s.upper()


class Vault:
    def __init__(self, args):
        self.a = args
        self.rng = random.Random(args.seed)
        self.names = Names(self.rng, args.japanese)
        self.notes = []  # (folder, base name), NFC
        self.images = []  # path, NFC
        self.truth = []
        self.links = 0

    # ---- layout -------------------------------------------------------
    def plan(self):
        r, n = self.rng, self.a.notes
        folders = [""]
        for top in FOLDERS:
            folders.append(top)
            for _ in range(max(1, n // 4000)):
                sub = top + "/" + r.choice(EN).title() + f" {r.randint(1, 999)}"
                folders.append(sub)
                folders.extend(sub + "/" + nfc(r.choice(JA)) + str(r.randint(1, 99)) for _ in range(2))
        self.folders = list(dict.fromkeys(folders))
        daily = int(n * 0.05)
        for i in range(daily):
            y, rest = divmod(i, 336)
            m, d = divmod(rest, 28)
            base = f"{2000 + y:04}-{m + 1:02}-{d + 1:02}"
            self.names.seen.add(base)
            self.notes.append((f"Daily/{2000 + y:04}", base))
        shared = min(int(n * 0.01) + 1, len(self.folders) * len(SHARED_NAMES))
        spots = [(f, s) for s in SHARED_NAMES for f in self.folders if f]
        r.shuffle(spots)
        for f, s in spots[:shared]:
            self.names.seen.add(s.lower())
            self.notes.append((f, nfc(s)))
        while len(self.notes) < n:
            self.notes.append((r.choice(self.folders), self.names.fresh()))
        self.notes = self.notes[:n]
        self.order = list(range(len(self.notes)))
        r.shuffle(self.order)
        self.count = Counter(base.lower() for _, base in self.notes)
        self.zipf = Zipf(r, len(self.notes), self.a.zipf)
        for _ in range(max(4, n // 50)):
            self.images.append("Attachments/" + self.names.fresh() + r.choice([".png", ".jpg", ".pdf"]))

    # ---- link text ----------------------------------------------------
    def heading(self, i):
        return ("Overview", "手順 その1", "Open questions?")[i % 3]

    def good(self, src_folder):  # noqa: C901, PLR0911 - a list of spellings, each with its share
        r = self.rng
        i = self.order[self.zipf.draw()]
        folder, base = self.notes[i]
        full = (folder + "/" if folder else "") + base
        unique = self.count[base.lower()] == 1
        how = r.random()
        if not unique:
            return f"[[{full}]]"
        if how < 0.40:
            return f"[[{base}]]"
        if how < 0.55:
            return f"[[{base}|{r.choice(EN)}]]"
        if how < 0.63:
            return f"[[{base}#{self.heading(i)}]]"
        if how < 0.68:
            return f"[[{full}]]"
        if how < 0.72 and folder.count("/"):
            return f"[[{folder.rsplit('/', 1)[1]}/{base}]]"
        if how < 0.76:
            return f"[[{swap_case(r, base)}]]"
        if how < 0.79:
            return f"[[{base}.md]]"
        if how < 0.85:
            return f"[{r.choice(EN)}]({full.replace(' ', '%20')}.md)"
        if how < 0.88:
            return f"[{r.choice(EN)}](<{full}.md>)"
        if how < 0.91:
            up = "../" * (src_folder.count("/") + 1) if src_folder else "./"
            return f"[[{up}{full}]]"
        if how < 0.95 and self.images:
            p = r.choice(self.images)
            return f"![[{p.rsplit('/', 1)[1]}|{r.choice((100, 240))}]]"
        return f"[[{base}#^block-{i % 7}]]"

    def bad(self):  # noqa: C901, PLR0912 - a list of mistakes, each with its share
        """(link text, path part, kind, nearest existing note or None)"""
        r = self.rng
        while True:
            i = self.order[self.zipf.draw()]
            folder, base = self.notes[i]
            full = (folder + "/" if folder else "") + base
            how = r.random()
            if how < 0.35:
                t, kind, near = misspell(r, base), "typo", full
            elif how < 0.65:
                t, kind, near = (
                    r.choice(JA) + "の" + r.choice(EN) + f" {r.randint(10**6, 10**7)}",
                    "missing",
                    None,
                )
            elif how < 0.78 and folder:
                t, kind, near = "Old place/" + base, "moved-folder", full
            elif how < 0.86:
                t, kind, near = r.choice(EN) + f" {r.randint(10**6, 10**7)}.png", "missing-attachment", None
            elif how < 0.93 and r.random() < 0.9 and len(base) == 10 and base[4] == "-":
                t, kind, near = base.replace("-", ""), "date-format", full
            else:
                t, kind, near = "./" + base + " zz", "relative-missing", full
            t = nfc(t)
            low = t.rsplit("/", 1)[-1].lower()
            if kind != "moved-folder" and (low in self.names.seen or low in self.count):
                continue
            if kind == "moved-folder" and "old place" in folder.lower():
                continue
            if any(c in t for c in "[]|#^") or t != t.strip():
                continue
            if kind == "missing-attachment":
                return f"![[{t}]]", t, kind, near
            if r.random() < 0.2 and "%" not in t and "(" not in t:
                escaped = t.replace(" ", "%20").replace("\u3000", "%E3%80%80")
                return f"[see]({escaped}.md)", t + ".md", kind, near
            if r.random() < 0.3:
                return f"[[{t}|{r.choice(EN)}]]", t, kind, near
            return f"[[{t}]]", t, kind, near

    # ---- one note -----------------------------------------------------
    def note(self, i):  # noqa: C901, PLR0912, PLR0915 - a note from top to bottom
        r, a = self.rng, self.a
        folder, base = self.notes[i]
        path = (folder + "/" if folder else "") + base + ".md"
        lines = []

        def put(text, broken=None):
            lines.append(text)
            if broken:
                self.truth.append(
                    {
                        "file": path,
                        "line": len(lines),
                        "target": broken[1],
                        "kind": broken[2],
                        "near": broken[3],
                    }
                )

        def link():
            self.links += 1
            if r.random() < a.broken:
                b = self.bad()
                return b[0], b
            return self.good(folder), None

        if r.random() < 0.5:
            put("---")
            put(f"tags: [{r.choice(EN)}, {r.choice(EN)}]")
            put("aliases:")
            put(f"  - {r.choice(EN).title()} {r.randint(1, 9999)}")
            if r.random() < 0.4:
                text, b = link()
                while not text.startswith("[["):
                    if b is None:
                        text, b = link()
                    else:
                        b = self.bad()
                        text = b[0]
                put(f'related: "{text}"', b)
            put("---")
        put("# " + base)
        put("")
        per = max(1, int(r.expovariate(1.0 / a.links)) if a.links else 0)
        heads = [self.heading(i)]
        for k in range(per):
            if k % 5 == 0:
                put("")
                put("## " + (heads[0] if k == 0 else f"Part {k}"))
                put("")
            text, b = link()
            shape = r.random()
            if shape < 0.12 and text.startswith("[[") and "|" in text:
                put("")
                put("| name | note |")
                put("|---|---|")
                cell = text.replace("|", "\\|")
                put(f"| {cell} | {r.choice(EN)} |", b)
                put("")
            elif shape < 0.4:
                put(f"- {r.choice(FILLER)} {text}", b)
            elif shape < 0.46:
                put(f"> [!note] {text}", b)
            elif shape < 0.48:
                put(f"%% {text} %%", b)
            else:
                put(r.choice(FILLER) + " " + text + "、" + r.choice(FILLER), b)
            put(r.choice(FILLER) * r.randint(1, a.filler))
        if r.random() < a.decoys:
            put("")
            put("```bash")
            put(f'if [[ -f "$x" ]]; then echo [[not a note {i}]]; fi')
            put("```")
            put("")
            put(f"Write `[[Not A Note {i}]]` and [web](https://example.com/a%20b?q={i}).")
            put("")
            put(f"    [[indented code {i}]]")
            put("")
        put(f"Last paragraph. ^block-{i % 7}")
        return path, "\n".join(lines) + "\n"

    # ---- disk ---------------------------------------------------------
    def write(self, out):
        r = self.rng

        def save(path, data):
            # Only the last part may be stored decomposed, so that every
            # folder exists once.
            head, _, tail = path.rpartition("/")
            if r.random() < self.a.nfd:
                tail = unicodedata.normalize("NFD", tail)
            place = out / head
            place.mkdir(parents=True, exist_ok=True)
            (place / tail).write_bytes(data)

        self.plan()
        size = 0
        for i in range(len(self.notes)):
            path, text = self.note(i)
            data = text.encode("utf-8")
            size += len(data)
            save(path, data)
        for p in self.images:
            save(p, b"\x89PNG\r\n\x1a\n")
        for c in range(self.a.canvases):
            nodes = []
            for k in range(6):
                folder, base = r.choice(self.notes)
                card = {"id": f"n{k}", "type": "file", "x": 0, "y": k * 100, "width": 300, "height": 80}
                nodes.append({**card, "file": (folder + "/" if folder else "") + base + ".md"})
            card = {"id": "t", "type": "text", "x": 0, "y": 900, "width": 300, "height": 80}
            nodes.append({**card, "text": f"[[{self.notes[0][1]}]]"})
            save(
                f"Boards/board {c}.canvas",
                json.dumps({"nodes": nodes, "edges": []}, ensure_ascii=False).encode(),
            )
        for hidden, name, data in (
            (".trash", "Deleted note.md", b"[[Nothing]]\n"),
            (".obsidian", "app.json", b'{"newLinkFormat": "shortest"}\n'),
        ):
            (out / hidden).mkdir(parents=True, exist_ok=True)
            (out / hidden / name).write_bytes(data)
        return size


def main(argv=None):
    p = argparse.ArgumentParser(
        description="Write a synthetic Obsidian vault and the list of its broken links."
    )
    p.add_argument("out")
    p.add_argument("--notes", type=int, default=10000)
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--links", type=float, default=8, help="mean number of links in a note")
    p.add_argument("--broken", type=float, default=0.02, help="share of links that are broken")
    p.add_argument("--zipf", type=float, default=0.9, help="Zipf exponent of the link targets")
    p.add_argument("--japanese", type=float, default=0.4, help="share of names in Japanese")
    p.add_argument("--nfd", type=float, default=0.05, help="share of file names stored in NFD")
    p.add_argument("--decoys", type=float, default=0.3, help="share of notes with link-like code")
    p.add_argument("--filler", type=int, default=4, help="most filler sentences after a link")
    p.add_argument("--canvases", type=int, default=10)
    p.add_argument("--truth", help="where to write the broken links (default OUT.truth.jsonl)")
    args = p.parse_args(argv)
    out = Path(args.out)
    if out.is_dir() and any(out.iterdir()):
        sys.exit(f"{out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    vault = Vault(args)
    size = vault.write(out)
    truth = Path(args.truth) if args.truth else out.with_name(out.name + ".truth.jsonl")
    lines = [json.dumps(broken, ensure_ascii=False) + "\n" for broken in vault.truth]
    truth.write_text("".join(lines), encoding="utf-8")
    print(
        json.dumps(
            {"notes": len(vault.notes), "links": vault.links, "broken": len(vault.truth), "bytes": size}
        )
    )


if __name__ == "__main__":
    main()
