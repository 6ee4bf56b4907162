"""The golden list of words that must be found, in facts and in pages, through a real store."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.protocol.settings import WritePolicy

NFD_TOKYO = unicodedata.normalize("NFD", "한국어 입력기 설정")
NFD_NOIR = unicodedata.normalize("NFD", "un café noir sans sucre")

GOLDEN: dict[str, tuple[str, ...]] = {
    # Chinese, Japanese and Korean: one character, two, more, in the middle of a run.
    "工作区的记忆保存在本地": ("记", "忆", "记忆", "作区", "工作区的记忆", "本地保存"),
    "半角ｶﾅ入力は使わない": ("カナ", "入力", "ｶﾅ", "半角"),
    "これはひらがなのメモです": ("ひら", "メモ", "が"),
    "안녕하세요 회의는 월요일": ("안녕", "하세", "회의", "월요일"),
    "𠮷野家で昼食": ("𠮷野", "𠮷野家", "昼"),
    "注音ㄅㄆㄇ符號": ("ㄅ", "ㄅㄆ"),
    NFD_TOKYO: ("한국어", unicodedata.normalize("NFD", "입력"), "설정"),
    # Mixed scripts.
    "重跑gen-itgc后再部署": ("gen-itgc", "itgc", "重跑", "后", "重跑gen-itgc后"),
    "用redis缓存结果": ("redis", "缓存", "redis缓存"),
    "升级到v2版API": ("v2", "升级", "api"),
    # Full-width and half-width forms, ligatures.
    "ＡＢＣ商事の担当": ("abc", "ABC", "ａｂｃ", "商事"),
    "the oﬃce key": ("office", "oﬃce"),
    # Accents, other alphabets, letters without a decomposition.
    NFD_NOIR: ("café", "cafe", "CAFÉ"),
    "Die Straße nach Übersee": ("strasse", "STRASSE", "Straße", "ubersee", "übersee"),
    "Øresund to Łódź": ("oresund", "lodz", "Øresund", "łódź"),
    "Слово дня: ёжик": ("слово", "СЛОВО", "ежик", "ёжик"),
    "Η ΟΔΟΣ Αθηνών": ("οδος", "οδός", "αθηνων"),
    "הפגישה בשָׁלוֹם": ("בשלום", "הפגישה"),
    # Arabic with vowels and without, Persian joiners, Indic marks, Thai, Lao and Khmer.
    "كَتَبَ الطَّالِبُ الدَّرْسَ": ("كتب", "الطالب", "كَتَبَ"),
    "می\u200cخواهم برنامه": ("میخواهم", "می\u200cخواهم"),
    "मैं हिन्दी बोलता हूँ": ("हिन्दी", "बोलता", "हनद"),
    "தமிழ் மொழி": ("தமிழ்", "மொழி"),
    "আমি বাংলা বলি": ("বাংলা",),
    "ภาษาไทยง่ายนิดเดียว": ("ไทย", "ภาษา", "ง่าย", "ภาษาไทย"),
    "ພາສາລາວ": ("ລາວ",),
    "ភាសាខ្មែរ": ("ខ្មែរ",),
    # Identifiers, paths, flags, addresses, versions.
    "call snake_case_name there": ("snake_case_name", "snake", "case_name"),
    "parseJSONFile is slow": ("parseJSONFile", "parsejsonfile", "json", "parse"),
    "HTTPServer2Go listens": ("HTTPServer2Go", "server", "httpserver2go"),
    "look into src/main.py:42": ("src/main.py", "main.py", "main", "42", "src/main.py:42"),
    "pass --dry-run before": ("--dry-run", "dry-run", "dry"),
    "tar -xzf does it": ("-xzf", "xzf"),
    "C:\\Users\\tide\\notes.txt": ("tide", "notes.txt", "C:\\Users\\tide"),
    "https://example.org/a?b=1 is down": ("example.org", "https://example.org/a?b=1", "example"),
    "since v1.2.3-rc.4": ("v1.2.3", "v1.2.3-rc.4"),
    "mail to anna@kestrel.example": ("anna@kestrel.example", "kestrel", "anna"),
    "O'Brien's desk": ("obrien", "O'Brien", "O’Brien", "brien"),
    "issue #4711 waits": ("#4711", "4711"),
    # Inflection, emoji, symbols of others, flags.
    "they were deploying servers": ("deploy", "server", "deployed"),
    "ship it \U0001f680 today": ("\U0001f680",),
    "fine \U0001f44d\U0001f3fd": ("\U0001f44d", "\U0001f44d\U0001f3ff"),
    "\u2764\ufe0f tides": ("\u2764", "\u2764\ufe0f"),
    "from \U0001f1ef\U0001f1f5 with": ("\U0001f1ef\U0001f1f5",),
    "a fox \U0001f98a and new \U0001fabf": ("\U0001f98a", "\U0001fabf"),
}  # fmt: skip
CASES = [(text, query) for text, queries in GOLDEN.items() for query in queries]

ABSENT = ["忆记", "caf", "concat", "ไก่", "रोम", "serv", "xzfx", "\U0001f98b", "4712", "\U0001f468"]


@pytest.fixture
async def client(build: Callable[..., Any], shelve: Any) -> Any:
    """A client of a store that holds every text as a fact and as a page."""
    house = await build(write_policies={"facts": WritePolicy.AUTO})
    client = house.client()
    for text in GOLDEN:
        await client.call("verbs/remember", fact=text, provenance="golden")
    pages = {f"notes/n{number}.md": f"# Note {number}\n\n{text}\n" for number, text in enumerate(GOLDEN)}
    await shelve(house, pages)
    return client


async def test_every_word_of_the_list_is_found(client: Any) -> None:
    """In facts and in pages alike, whatever else the store holds."""
    assert len(CASES) >= 60
    missed = []
    for text, query in CASES:
        answer = await client.call("verbs/recall", query=query)
        facts = [fact["fact"] for fact in answer["facts"]]
        pages = [page["chunk"] for page in answer["results"]]
        missed += [("fact", query, text, facts)] if text not in facts else []
        missed += [("page", query, text, pages)] if not any(text in chunk for chunk in pages) else []

    assert [] == missed


async def test_every_text_finds_itself_first(client: Any) -> None:
    """A whole sentence as the query brings that sentence before any other."""
    for text in GOLDEN:
        answer = await client.call("verbs/recall", query=text)

        assert text == answer["facts"][0]["fact"]
        assert "keyword_exact" == answer["results"][0]["evidence"]


async def test_what_is_not_there_is_not_found(client: Any) -> None:
    """A part of a word is no word, and characters in another order are another word."""
    for query in ABSENT:
        answer = await client.call("verbs/recall", query=query)

        assert (query, [], []) == (query, answer["facts"], answer["results"])
