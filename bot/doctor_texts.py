"""What the doctor says, in English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Language


@dataclass(frozen=True, slots=True)
class Texts:
    """Findings and ways out."""

    colon: str
    all_well: str
    sum: str
    # the file
    settings: str
    no_setting: str
    did_you_mean: str
    see_example: str
    no_file: str
    file: str
    ignored: str
    readable: str
    chmod: str
    # the vault
    vault: str
    no_vault: str
    set_vault: str
    unreadable: str
    permit: str
    no_obsidian: str
    inside: str
    right_vault: str
    # state
    database: str
    open: str
    will_be_made: str
    served: str
    not_served: str
    set_database: str
    postgres: str
    postgres_new: str
    processes: str
    no_process: str
    may_not_make: str
    may_not_write: str
    grant_make: str
    grant_write: str
    records: str
    unwritable: str
    set_records: str
    in_vault: str
    # other versions
    versions: str
    begun_by: str
    install_version: str
    # what is at work
    at_work: str
    idle: str
    go_on: str
    orphans: str
    end_orphans: str
    # the switch
    checks: str
    on: str
    on_hold: str
    release: str
    # who judges
    drafter: str
    rules: str
    without_claude: str
    use_rules: str
    # Slack
    elsewhere: str
    people: str
    not_xoxb: str
    take_xoxb: str
    not_xapp: str
    take_xapp: str
    signed_in: str
    scopes: str
    lacks: str
    reinstall: str
    complete: str
    no_member: str
    no_group: str
    empty_group: str
    copy_group: str
    fill_group: str
    too_few: str
    two_voices: str
    set_operator: str
    copy_id: str
    outside: str
    invite: str
    member: str
    copy_channel: str
    connects: str
    unreachable: str
    check_net: str
    refused: str


EN = Texts(
    colon=": ",
    all_well="All is well.",
    sum="{fails} to mend, {warns} to look at.",
    settings="Settings",
    no_setting="{name} is no setting, and does nothing",
    did_you_mean="did you mean {name}?",
    see_example=".env.example lists them all",
    no_file="from the environment alone; there is no .env here",
    file="{path}, and the environment",
    ignored="{path} is left alone",
    readable="{path} holds tokens and other users of this machine can read it",
    chmod="chmod 600 {path}",
    vault="Vault",
    no_vault="none is set",
    set_vault="Set RINGI_VAULT (or --vault) to the folder that Obsidian opens.",
    unreadable="{path} cannot be read",
    permit="Give this user the right to read it.",
    no_obsidian="{path} holds no .obsidian folder",
    inside="It lies inside the vault {path}; that is probably the one to set.",
    right_vault="If this is not what Obsidian opens, links by bare name may be judged missing.",
    database="Database",
    open="{path}, {served}; {n} runs are open",
    will_be_made="{path}, made with the first run",
    served="a server works on it",
    not_served="no server works on it",
    set_database="Set RINGI_DATABASE to a path outside vaults and synced folders that this user can write.",
    postgres="PostgreSQL {version} at {path}, {served}; {n} runs are open",
    postgres_new="PostgreSQL {version} at {path}; its tables are made with the first run",
    processes="at least one process moves its runs",
    no_process="no process moves its runs",
    may_not_make="the role may not create tables at {path}",
    may_not_write="the role may not write the tables at {path}",
    grant_make="As the database's owner: GRANT CREATE ON SCHEMA public TO the role, or give it a database of its own.",
    grant_write="Use the role that made the tables, or grant it SELECT, INSERT, UPDATE and DELETE on them.",
    records="Records",
    unwritable="{path} cannot be written",
    set_records="Set RINGI_RECORDS to a folder that this user can write.",
    in_vault="{path}, in the vault; the folder under check must be another one",
    versions="Versions",
    begun_by="another version of ringi began what is open here: {version}, {n} runs",
    install_version="They stay as they are; install that version again to go on with them.",
    at_work="At work",
    idle="run {run} has something to do, and no process does it",
    go_on="ringi serve goes on with it by itself; without one: ringi retry {run}",
    orphans="{n} claude processes still run for a server that is gone",
    end_orphans="They are ended when a server, or the next check, starts.",
    checks="New checks",
    on="begin at once",
    on_hold="on hold since {time}, by {who}; {n} waiting",
    release="Let them begin: ringi release",
    drafter="Judge",
    rules="rules; Claude is not asked",
    without_claude="link checks would fail as long as Claude is not ready",
    use_rules="RINGI_DRAFTER=rules judges by likeness of names alone.",
    elsewhere="the API is at {url}, not Slack's own",
    people="{starters} may start, {deciders} may decide",
    not_xoxb="does not begin with xoxb-",
    take_xoxb="Take the bot token from the app's page, “Install App”.",
    not_xapp="does not begin with xapp-",
    take_xapp="Make an app-level token with connections:write: “Basic Information”, “App-Level Tokens”.",
    signed_in="works: {user} in {team}",
    scopes="Scopes",
    lacks="the bot token lacks {scopes}",
    reinstall="Paste manifest.yml into the app's page, “App Manifest”, then install the app again.",
    complete="all that manifest.yml asks for",
    no_member="{user} is no active member of this workspace",
    no_group="{group} is no user group of this workspace, or it is disabled: nobody in it may decide",
    empty_group="nobody is in the user group {group}",
    copy_group="In Slack: People, User groups, a group, ⋮, “Copy group ID” (S…)",
    fill_group="Add members to the group in Slack, or list people in RINGI_APPROVERS",
    too_few="{needed} approvals are needed, but what {who} starts can be approved by {there} only",
    two_voices="is not set: a vote in the terminal counts as another person than the same one in Slack",
    set_operator="Set RINGI_OPERATOR to the member id of whoever uses this terminal",
    copy_id="In Slack open the person's profile, ⋮, “Copy member ID”.",
    outside="the bot is not in {name}",
    invite="In that channel type /invite and the bot's name.",
    member="{name}",
    copy_channel="In Slack open the channel's details, at the bottom: “Channel ID”.",
    connects="works: Socket Mode answers",
    unreachable="Slack could not be asked ({why})",
    check_net="Look at the network, at a proxy, and at SLACK_API_URL.",
    refused="Slack says {error}",
)

JA = Texts(
    colon="：",
    all_well="すべて問題ありません。",
    sum="要対応 {fails}件、要確認 {warns}件。",
    settings="設定",
    no_setting="{name} という設定はなく、効果がありません",
    did_you_mean="{name} のことですか？",
    see_example="一覧は .env.example にあります",
    no_file="環境変数のみ（ここに .env はありません）",
    file="{path} と環境変数",
    ignored="{path} は読み込みません",
    readable="{path} にトークンがあり、このマシンのほかのユーザーも読めます",
    chmod="chmod 600 {path}",
    vault="保管庫",
    no_vault="未設定です",
    set_vault="Obsidian で開くフォルダを RINGI_VAULT（または --vault）に設定してください。",
    unreadable="{path} を読めません",
    permit="このユーザーに読み取りを許可してください。",
    no_obsidian="{path} に .obsidian フォルダがありません",
    inside="保管庫 {path} の中にあります。設定すべきなのはおそらくそちらです。",
    right_vault="Obsidian で開くフォルダと違う場合、名前だけのリンクが「ない」と判定されることがあります。",
    database="データベース",
    open="{path}、{served}、進行中の run {n}件",
    will_be_made="{path}（最初の run で作成されます）",
    served="サーバーが使用中",
    not_served="サーバーは動いていません",
    set_database="保管庫や同期フォルダの外で、書き込める場所を RINGI_DATABASE に設定してください。",
    postgres="{path} の PostgreSQL {version}、{served}、進行中の run {n}件",
    postgres_new="{path} の PostgreSQL {version}（テーブルは最初の run で作成されます）",
    processes="run を進めるプロセスが動いています",
    no_process="run を進めるプロセスはありません",
    may_not_make="{path} でテーブルを作成する権限がありません",
    may_not_write="{path} のテーブルに書き込む権限がありません",
    grant_make="データベースの所有者として GRANT CREATE ON SCHEMA public TO（ロール名）を実行するか、専用のデータベースを用意してください。",
    grant_write="テーブルを作成したロールを使うか、SELECT、INSERT、UPDATE、DELETE の権限を与えてください。",
    records="記録",
    unwritable="{path} に書き込めません",
    set_records="書き込めるフォルダを RINGI_RECORDS に設定してください。",
    in_vault="{path}（保管庫の中。確認するフォルダとは別にしてください）",
    versions="版",
    begun_by="別の版の ringi が始めた進行中の run：{version}、{n}件",
    install_version="そのまま残ります。続けるには、その版をインストールし直してください。",
    at_work="実行中",
    idle="run {run} にはやることがありますが、進めているプロセスがありません",
    go_on="ringi serve が動いていれば自動で続きます。なければ：ringi retry {run}",
    orphans="終了したサーバーの claude プロセスが {n}件 動いています",
    end_orphans="次にサーバーかチェックが始まるときに終了させます。",
    checks="新しいチェック",
    on="すぐに始まります",
    on_hold="{time} から保留中（{who}）、待機 {n}件",
    release="再開するには：ringi release",
    drafter="判定",
    rules="ルール（Claude は使いません）",
    without_claude="Claude の準備ができるまで、リンクチェックは失敗します",
    use_rules="RINGI_DRAFTER=rules なら、名前の近さだけで判定します。",
    elsewhere="API は {url}（Slack 本体ではありません）",
    people="開始できる人 {starters}人、判断できる人 {deciders}人",
    not_xoxb="xoxb- で始まっていません",
    take_xoxb="アプリのページの “Install App” にあるボットトークンを設定してください。",
    not_xapp="xapp- で始まっていません",
    take_xapp="“Basic Information” の “App-Level Tokens” で connections:write つきのトークンを作ってください。",
    signed_in="有効です（{team} の {user}）",
    scopes="権限",
    lacks="ボットトークンに不足：{scopes}",
    reinstall="アプリのページの “App Manifest” に manifest.yml を貼り付け、インストールし直してください。",
    complete="manifest.yml のとおりです",
    no_member="{user} はこのワークスペースの有効なメンバーではありません",
    no_group="{group} はこのワークスペースのユーザーグループではないか、無効になっています。このグループで判断できる人はいません",
    empty_group="ユーザーグループ {group} にメンバーがいません",
    copy_group="Slack の「メンバー」→「ユーザーグループ」→ グループの ⋮ から「グループ ID をコピー」（S…）",
    fill_group="Slack でグループにメンバーを加えるか、RINGI_APPROVERS に人を加えてください",
    too_few="承認は {needed}人分必要ですが、{who} が始めた run を承認できるのは {there}人だけです",
    two_voices="が未設定です。ターミナルでの承認は、同じ人の Slack での承認とは別の人として数えられます",
    set_operator="RINGI_OPERATOR に、このターミナルを使う人のメンバー ID を設定してください",
    copy_id="Slack でその人のプロフィールの ⋮ から「メンバー ID をコピー」。",
    outside="ボットが {name} に参加していません",
    invite="そのチャンネルで /invite とボットの名前を入力してください。",
    member="{name}",
    copy_channel="Slack でチャンネルの詳細を開き、一番下の「チャンネル ID」を使ってください。",
    connects="有効です（Socket Mode に接続できます）",
    unreachable="Slack に問い合わせできません（{why}）",
    check_net="ネットワーク、プロキシ、SLACK_API_URL を確認してください。",
    refused="Slack の応答：{error}",
)

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}
