"""Texts that speak to the agent that will read them, or that look like a frame around memories.

They are flagged, never refused: a person decides, and rules that guess are wrong at times. A match is told by
its kind alone; the text stands in the question.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from keepgate.core.model.text import hidden_positions

INSTRUCTION: Final = "instruction-like"
FRAME: Final = "imitates-frame"

# To ignore what it was told, to approve, to keep something from the person, to be something else from now on.
_IMPERATIVES: Final = (
    # English.
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier"
        r"|preceding|system)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines?"
        r"|context|orders?)\b"
    ),
    r"\balways (?:approve|allow|accept|confirm|say yes|answer yes|click)\b",
    (
        r"\b(?:approve|allow|accept) (?:this|every|all|any)\b[^.\n]{0,20}\b(?:requests?|changes?|writes?"
        r"|proposals?|memor(?:y|ies)|questions?|prompts?)\b"
    ),
    (
        r"\b(?:do not|don't|never|without) (?:ask(?:ing)?|tell(?:ing)?|inform(?:ing)?|warn(?:ing)?"
        r"|notify(?:ing)?)\b[^.\n]{0,12}\b(?:user|person|human|owner|anyone|anybody)\b"
    ),
    r"\bfrom now on,? you\b",
    r"\byou are now (?:a|an|in|the|my|free)\b",
    r"\bnew (?:system )?instructions?\b ?:",
    (
        r"\b(?:reveal|print|show|repeat|leak|exfiltrate)\b[^.\n]{0,15}\b(?:system prompt|hidden prompt"
        r"|api keys?|secrets?|credentials)\b"
    ),
    r"\b(?:send|post|upload|forward|curl)\b[^.\n]{0,60}\bhttps?://",
    # German.
    (
        r"\b(?:ignoriere?|missachte|vergiss)\b[^.\n]{0,30}\b(?:vorherigen?|bisherigen?|vorigen|obigen"
        r"|früheren)\b"
    ),
    r"\b(?:genehmige|erlaube|bestätige|akzeptiere) (?:immer|stets|alle|jede)",
    r"\b(?:immer|stets) (?:genehmigen|erlauben|zustimmen|bestätigen)\b",
    r"\bohne (?:den|die) (?:nutzer|benutzer|person|menschen)\b[^.\n]{0,20}\bfragen\b",
    r"\bvon jetzt an bist du\b",
    r"\bdu bist (?:jetzt|nun|ab sofort)\b",
    # French.
    (
        r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,30}\b(?:instructions|consignes|règles)\b"
        r"[^.\n]{0,20}\b(?:précédentes|antérieures|ci-dessus)\b"
    ),
    r"\b(?:approuve|autorise|accepte)[zr]? (?:toujours|toutes?|tous)\b",
    r"\bsans (?:demander|prévenir|informer)\b",
    r"\bdésormais,? (?:tu es|vous êtes)\b",
    # Spanish.
    (
        r"\b(?:ignora|olvida|descarta)d?\b[^.\n]{0,30}\b(?:instrucciones|reglas|órdenes)\b"
        r"[^.\n]{0,15}\b(?:anteriores|previas)\b"
    ),
    r"\b(?:aprueba|acepta|permite|autoriza) (?:siempre|todas?|todos)\b",
    r"\bsiempre (?:aprueba|acepta|permite)\b",
    r"\bsin (?:preguntar|avisar|informar)\b",
    r"\ba partir de ahora,? (?:eres|serás)\b",
    # Portuguese.
    (
        r"\b(?:ignore|esqueça|desconsidere)\b[^.\n]{0,30}\b(?:instruções|regras)\b"
        r"[^.\n]{0,15}\b(?:anteriores|prévias)\b"
    ),
    r"\b(?:aprove|aceite|permita|autorize) (?:sempre|todas?|todos)\b",
    r"\bsempre (?:aprove|aceite|permita)\b",
    r"\bsem (?:perguntar|avisar|informar)\b",
    r"\ba partir de agora,? você é\b",
    # Italian.
    r"\b(?:ignora|dimentica)\b[^.\n]{0,30}\b(?:istruzioni|regole)\b[^.\n]{0,15}\bprecedenti\b",
    r"\b(?:approva|accetta|consenti) (?:sempre|tutt[eio])\b",
    r"\bsenza (?:chiedere|avvisare)\b",
    r"\bd'ora in poi,? (?:sei|sarai)\b",
    # Russian.
    r"(?:игнорируй|забудь|не обращай внимания)\w*[^.\n]{0,30}(?:предыдущи|прежни|прошлы|вышеуказанн)",
    r"всегда (?:одобряй|разрешай|подтверждай|соглашай)",
    r"(?:одобряй|разрешай|подтверждай)\w* (?:все|всё|любые)",
    r"не (?:спрашивай|сообщай|говори)\w*[^.\n]{0,20}(?:пользовател|человек)",
    r"(?:отныне|теперь) ты\b",
    # Chinese.
    r"(?:忽略|无视|忘记|無視|忘記)[^。\n]{0,12}(?:之前|先前|以上|前面|上述|原有|此前)",
    r"(?:总是|始终|一律|永远|總是)[^。\n]{0,4}(?:批准|允许|同意|接受|允許|核准)",
    r"不要(?:询问|告诉|通知|詢問|告訴)[^。\n]{0,4}(?:用户|用戶|使用者|人)",
    r"从现在(?:开始|起),?你(?:是|必须)",
    # Japanese.
    r"(?:以前|前|これまで|上記|従来)の?[^。\n]{0,6}(?:指示|命令|ルール|指令)[^。\n]{0,6}(?:無視|忘れ)",
    r"(?:常に|必ず|いつも)[^。\n]{0,4}(?:承認|許可|同意)",
    r"(?:ユーザー|利用者|人間)に[^。\n]{0,6}(?:聞かず|尋ねず|知らせず|確認せず|聞くな|知らせるな)",
    r"今から(?:あなた|お前)は",
    # Korean.
    r"(?:이전|앞의|위의|기존)[^.\n]{0,8}(?:지시|명령|규칙)[^.\n]{0,6}(?:무시|잊)",
    r"(?:항상|언제나|무조건)[^.\n]{0,4}(?:승인|허용|동의)",
    r"사용자에게[^.\n]{0,8}(?:묻지|알리지)",
    r"지금부터 (?:너는|당신은)",
    # Arabic.
    r"(?:تجاهل|انس|انسَ)[^.\n]{0,20}(?:التعليمات|الأوامر|القواعد)[^.\n]{0,15}السابقة",
    r"(?:وافق|اسمح|اقبل) (?:دائما|دائمًا|على كل)",
    r"(?:دون|بدون) (?:سؤال|إخبار|إبلاغ)",
    r"من الآن فصاعدا",
    # Hindi.
    r"(?:पिछले|पूर्व|उपरोक्त)[^।\n]{0,20}(?:निर्देश|नियम|आदेश)[^।\n]{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)",
    r"(?:हमेशा|सदैव)[^।\n]{0,8}(?:स्वीकार|मंज़ूर|अनुमति|स्वीकृत)",
)
_INSTRUCTION: Final = re.compile("|".join(_IMPERATIVES))
_FRAMES: Final = (
    # The notices, titles and counts of our own blocks, and the words and buttons of our question.
    r"\[\s*keepgate memory",
    r"<!--\s*keepgate",
    r"keepgate asks:",
    r"\(more: entity\)",
    r"\d+/\d+ chars used",
    r"waiting for approval, not stored",
    r"^\s*#{1,6} (?:about the user|agent notes)\b",
    r"\ballow this\? y = yes",
    r"^\s*(?:user|agent)/(?:workspace|user-global) will hold \d",
    r"\[\s*(?:allow(?: once| for this session)?|approve|reject|show change|yes|ok)\s*\]",
    r"\ballow once\b[^\n]{0,40}\breject\b",
    r"\b(?:already )?(?:approved|allowed) by the (?:user|person|human|owner)\b",
    r"allowed-once \(via",
    # What models and harnesses put around what they are told.
    (
        r"</?\s*(?:system|assistant|user|human|memory|memories|instructions?|context|tool_result"
        r"|function_results|untrusted)(?:[-_ ][^<>\n]{0,40})?>"
    ),
    r"<\|[a-z_]{2,20}\|>",
    r"\[/?inst\]",
    r"<<\s*/?sys\s*>>",
    r"^\s*#{1,6} ?(?:system|assistant|instructions?)\b ?:?\s*$",
    r"^\s*(?:system|assistant|human|developer)\s*:",
    r"\bend of (?:memory|memories|snapshot|context|untrusted|data)\b",
    r"-{3,} ?(?:begin|end) (?:memory|system|instructions?|context|data)",
)
_FRAME: Final = re.compile("|".join(_FRAMES), re.MULTILINE)
_BLANKS: Final = re.compile(r"[^\S\n]+")


def wary_of(texts: Iterable[str]) -> frozenset[str]:
    """The kinds of caution that any of these texts calls for."""
    found = set[str]()
    for text in map(_plain, texts):
        if _INSTRUCTION.search(_BLANKS.sub(" ", text.replace("\n", " "))):
            found.add(INSTRUCTION)
        if _FRAME.search(text):
            found.add(FRAME)
    return frozenset(found)


def _plain(text: str) -> str:
    """Without hidden characters, wide and styled letters as plain ones, small, its blanks single."""
    if hidden := set(hidden_positions(text)):
        text = "".join(char for index, char in enumerate(text) if index not in hidden)
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).replace("’", "'")
