"""Words of every script can be found again when text and query are analysed alike."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.reading.analyse import analysed, tokens, words


def found(query: str, text: str) -> bool:
    """Whether every term of a query is a term of the text; a query without terms finds nothing."""
    wanted = set(tokens(query))
    return bool(wanted) and wanted <= set(tokens(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # Chinese, Japanese and Korean: one character, two, more, at any place.
        ("记", "工作区的记忆"),
        ("记忆", "工作区的记忆"),
        ("作区", "工作区的记忆"),
        ("工作区的记忆", "工作区的记忆"),
        ("カナ", "半角カナ入力"),
        ("ひら", "これはひらがなです"),
        ("時々", "時々見る"),
        ("ビール", "ビールを飲む"),
        ("안녕", "안녕하세요"),
        ("하세", "안녕하세요"),
        ("ㅋㅋ", "하ㅋㅋㅋ"),
        ("ㄅ", "ㄅㄆ"),
        ("𠮷野", "𠮷野家"),
        # Mixed scripts.
        ("gen", "重跑gen-itgc后"),
        ("itgc", "重跑gen-itgc后"),
        ("gen-itgc", "重跑gen-itgc后"),
        ("重跑", "重跑gen-itgc后"),
        ("后", "重跑gen-itgc后"),
        ("redis缓存", "用redis缓存结果"),
        ("v2", "升级到v2版"),
        # Full-width letters, half-width kana and jamo, ligatures, numbers in circles.
        ("ABC", "ＡＢＣ商事"),
        ("ａｂｃ", "abc"),
        ("ガイド", "ｶﾞｲﾄﾞ"),
        ("한", "ﾡ한"),
        ("file", "ﬁle"),
        ("1", "①"),
        # Composed and decomposed.
        (unicodedata.normalize("NFD", "한글"), "한글 입력"),
        ("한글", unicodedata.normalize("NFD", "한글 입력")),
        ("café", unicodedata.normalize("NFD", "un café noir")),
        (unicodedata.normalize("NFD", "Übergröße"), "übergröße"),
        ("ガ", unicodedata.normalize("NFD", "ガイド")),
        # Accents, other alphabets, digits.
        ("NAÏVE", "a naïve plan"),
        ("http", "HTTP2_SERVER"),
        ("слово", "Слово дня"),
        ("ΟΔΟΣ", "οδος"),
        ("שלום", "שלום לכולם"),
        ("ไทย", "ไทย"),
        ("٣٤", "بند ٣٤"),
        # Accents and other marks that are left out in typing, and letters that have none.
        ("cafe", "un café noir"),
        ("café", "a cafe"),
        ("uber", "Übermut, über"),
        ("STRASSE", "Straße"),
        ("oresund", "Øresund"),
        ("lodz", "Łódź"),
        ("istanbul", "İstanbul"),
        ("οδος", "ΟΔΌΣ"),
        ("ёж", "еж"),
        ("كتب", "كَتَبَ"),
        ("كَتَبَ", "كتب"),
        ("سلام", "ســلام"),
        ("שלום", "שָׁלוֹם"),
        # Indic marks spell the word: it stays whole, and is found without them.
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("हनद", "हिन्दी"),
        ("தமிழ்", "தமிழ் மொழி"),
        ("বাংলা", "আমি বাংলা বলি"),
        ("میخواهم", "می\u200cخواهم"),
        # Scripts without blanks.
        ("ไทย", "ภาษาไทยง่าย"),
        ("ง่าย", "ภาษาไทยง่าย"),
        ("ລາວ", "ພາສາລາວ"),
        ("ខ្មែរ", "ភាសាខ្មែរ"),
        # Identifiers, paths, flags, addresses.
        ("main.py", "see src/main.py:42"),
        ("example.org", "https://example.org/a?b=1"),
        ("alice", "Alice's desk"),
        ("alices", "Alice’s desk"),
        ("obrien", "O'Brien"),
        ("x" * 200, "x" * 200),
        ("snake", "use snake_case_name here"),
        ("case", "use snake_case_name here"),
        ("snake_case_name", "use snake_case_name here"),
        ("init", "def __init__(self)"),
        ("__init__", "def __init__(self)"),
        ("parse", "parseJSONFile"),
        ("json", "parseJSONFile"),
        ("file", "parseJSONFile"),
        ("parsejsonfile", "parseJSONFile"),
        ("école", "ÉcoleNormale"),
        ("normale", "ÉcoleNormale"),
        ("http", "HTTPServer2Go"),
        ("server", "HTTPServer2Go"),
        ("2", "HTTPServer2Go"),
        ("--dry-run", "pass --dry-run first"),
        ("dry-run", "pass --dry-run first"),
        ("run", "pass --dry-run first"),
        ("-x", "tar -x"),
        ("src/main.py", "see src/main.py:42"),
        ("main", "see src/main.py:42"),
        ("42", "see src/main.py:42"),
        ("Users", "C:\\Users\\tide"),
        ("example.org/a", "https://example.org/a?b=1"),
        ("v1.2.3", "since v1.2.3"),
        ("1.2", "about 1.2."),
        ("don't", "don't"),
        # Emoji.
        ("\U0001f44d", "fine \U0001f44d\U0001f3fd"),
        ("\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"),
        ("\u2764", "\u2764\ufe0f tides"),
        ("\u2764\ufe0f", "\u2764 tides"),
        ("\U0001f1ef\U0001f1f5", "from \U0001f1ef\U0001f1f5"),
    ],
)
def test_what_is_there_is_found(query: str, text: str) -> None:
    """Short words, joined words and odd spellings."""
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("src/main", "see lib/src/main.py:42"),
        ("/src/main", "src/main.py"),
    ],
)
def test_a_stretch_of_a_path_is_found_by_its_parts(query: str, text: str) -> None:
    """Terms are joined with OR, so that a query whose joined form is no term still reaches the text."""
    parts = [term for term in tokens(query) if term.isalnum()]

    assert parts
    assert set(parts) <= set(tokens(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("忆记", "记忆"),
        ("caf", "café"),
        ("na", "naïve"),
        ("stra", "Straße"),
        ("cat", "concatenate"),
        ("é", "café"),
        ("\U0001f44d", "fine"),
        ("राम", "रोम"),
        ("cafes", "café"),
    ],
)
def test_what_is_not_there_is_not_found(query: str, text: str) -> None:
    """Words are not torn at accents, and characters in another order are another word."""
    assert not found(query, text)


@pytest.mark.parametrize(
    "text", ["", "   ", "!?…", "，。「」", "\u200b\u202e", "→ € §", "\ufe0f\u200d", "- -- /"]
)
def test_a_query_without_words_has_no_terms(text: str) -> None:
    """Punctuation alone is a defined answer: nothing to look for."""
    assert ("", []) == (analysed(text), list(tokens(text)))


def test_terms_come_in_the_order_of_the_text() -> None:
    """Whole words before their parts; characters of a run before its pairs."""
    assert "snake_case snake case 记 忆 库 记忆 忆库 \U0001f44d" == analysed("snake_case 记忆库 \U0001f44d")


@given(st.text("记忆工作区的カナひら々ー한글", min_size=1, max_size=12), st.data())
def test_any_part_of_a_cjk_run_is_found(text: str, data: st.DataObject) -> None:
    """A substring's characters and pairs are those of the run."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    assert found(text[start:end], text)


@given(
    st.lists(st.from_regex(r"[a-z]{1,5}|[0-9]{1,3}", fullmatch=True), min_size=1, max_size=4),
    st.sampled_from("_-./"),
)
def test_every_part_of_an_identifier_is_found(parts: list[str], joint: str) -> None:
    """And the whole, and any run of its parts with the joint in between when it is no underscore."""
    text = joint.join(parts)

    assert found(text, f"see {text}, ok")
    assert all(found(part, text) for part in parts)


@example("İ ǅ ﬀ ㍿ ½ \u0345")
@given(st.text())
def test_terms_are_free_of_index_syntax(text: str) -> None:
    """No blanks, quotes, stars or brackets: terms can be quoted and joined as they are."""
    terms = list(tokens(text))

    assert not [term for term in terms if not term or set(term) & set("\"'*()[]{}:^+,;<>~ \t\n")]
    assert terms == analysed(text).split(" ") if terms else analysed(text) == ""


@given(st.text())
def test_spelling_of_the_same_characters_does_not_matter(text: str) -> None:
    """Composed, decomposed and compatible forms have the same terms."""
    forms = {analysed(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}

    assert {analysed(text)} == forms


@given(st.text("abzAZ09_-./ 记忆é", max_size=20))
def test_a_text_finds_itself(text: str) -> None:
    """Unless it has no words at all."""
    assert found(text, f"before {text} after") or not list(tokens(text))


@pytest.mark.parametrize(
    ("query", "forms"),
    [
        ("redis", [(("redis",),)]),
        ("src/main.py", [(("src/main.py",), ("src", "main.py"), ("src", "main", "py"))]),
        ("parseJSON", [(("parsejson",), ("parse", "json"))]),
        ("记", [(("记",),)]),
        ("记忆库", [(("记忆", "忆库"),)]),
        ("हिन्दी", [(("हिन्दी",), ("हनद",))]),
    ],
)
def test_a_word_of_a_query_may_be_there_in_several_forms(
    query: str, forms: list[tuple[tuple[str, ...], ...]]
) -> None:
    """As a whole or by all of its parts; of a run of signs only the pairs, which tell more."""
    assert forms == [word.forms for word in words(query)]


@given(st.text())
def test_every_term_of_a_word_is_a_term_of_its_text(text: str) -> None:
    """What a query looks for is what the index holds, for any text that is its own query."""
    assert {term for word in words(text) for term in word.terms} <= set(tokens(text))


@given(st.text())
def test_no_word_is_without_terms(text: str) -> None:
    """A form that asks for nothing would be there in every text."""
    assert all(form for word in words(text) for form in word.forms)
