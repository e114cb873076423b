"""Reviews with a verdict, positive or negative, by a rule that can be told in four sentences.

A clause praises or blames by its word (good, slow). "Not", "never" and "nothing" turn it around. Of two clauses the
one after "but" or "however" decides, and the main clause decides against "although" and "even though". Joined by
"and", or one after the other, two clauses always agree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from zlib import crc32

HELD_OUT_ONE_IN = 6
NEGATIVE, POSITIVE = 0, 1
LABELS = ("negative", "positive")

GOOD = ("good", "great", "wonderful", "excellent", "nice", "lovely", "amazing", "perfect")
BAD = ("bad", "awful", "terrible", "poor", "horrible", "disappointing", "dreadful")
TOPICS = {  # where one has been: what is reviewed there, the words that praise it, and those that blame it
    "restaurant": {
        "food": ("tasty delicious fresh", "cold stale salty bland"),
        "soup": ("tasty hot delicious", "cold salty thin bland"),
        "dinner": ("tasty delicious fresh rich", "cold late salty bland"),
        "service": ("fast friendly quick polite", "slow rude unfriendly"),
        "waiter": ("friendly polite kind quick", "rude slow unfriendly lazy"),
        "table": ("clean quiet", "dirty noisy"),
    },
    "hotel": {
        "room": ("clean quiet warm bright", "dirty noisy cold dark"),
        "bed": ("soft clean comfortable", "hard dirty uncomfortable"),
        "breakfast": ("tasty fresh rich", "cold stale late"),
        "hotel": ("clean quiet cheap comfortable", "dirty noisy expensive"),
        "service": ("fast friendly quick polite", "slow rude unfriendly"),
        "view": ("beautiful wide", "ugly dark"),
    },
    "show": {
        "film": ("funny exciting clever moving", "boring dull silly long"),
        "story": ("funny exciting clever moving", "boring dull silly confusing"),
        "ending": ("clever moving surprising", "silly confusing weak"),
        "music": ("moving beautiful cheerful", "loud dull annoying"),
        "book": ("funny exciting clever moving", "boring dull long confusing"),
        "show": ("funny exciting beautiful", "boring loud long"),
    },
}
UNCOUNTED = ("food", "service", "music")  # no "a" goes before them
FORMS: dict[str, tuple[str, str]] = {  # how a clause praises, and how it blames
    "is": ("the {topic} was {good}", "the {topic} was {bad}"),
    "very": ("the {topic} was {very} {good}", "the {topic} was {very} {bad}"),
    "not": ("the {topic} was not {bad}", "the {topic} was not {good}"),
    "not at all": ("the {topic} was not {bad} at all", "the {topic} was not {good} at all"),
    "never": ("the {topic} was never {bad}", "the {topic} was never {good}"),
    "nothing": ("there was nothing {bad} about the {topic}", "there was nothing {good} about the {topic}"),
    "loved": ("I {loved} the {topic}", "I {hated} the {topic}"),
    "did not": ("I did not {hate} the {topic}", "I did not {love} the {topic}"),
    "really": ("we really {loved} this {topic}", "we really {hated} this {topic}"),
    "found": ("I found the {topic} {good}", "I found the {topic} {bad}"),
    "what": ("it was a {good} {topic}", "it was a {bad} {topic}"),
    "not a": ("it was not a {bad} {topic}", "it was not a {good} {topic}"),
    "again": ("I will come back", "I will not come back"),
    "recommend": ("I can recommend the {topic}", "I cannot recommend the {topic}"),
    "worth": ("the {topic} was worth the money", "the {topic} was not worth the money"),
    "happy": ("we were happy with the {topic}", "we were not happy with the {topic}"),
}
JOINS: dict[str, tuple[str, bool]] = {  # A decides; whether B says the opposite (if it does not, it agrees)
    "alone": ("{A}.", False),
    "cry": ("{A}!", False),
    "and": ("{A} and {b}.", False),
    "both": ("{A}. {B}.", False),
    "but": ("{B}, but {a}.", True),
    "but then": ("At first {b}, but then {a}.", True),
    "however": ("{B}. However, {a}.", True),
    "although": ("Although {b}, {a}.", True),
    "even though": ("{A}, even though {b}.", True),
    "they said": ("They said that {b}, but {a}.", True),
}
WORDS = {
    "very": ("very", "really", "so", "quite", "truly"),
    "loved": ("loved", "liked", "enjoyed"),
    "hated": ("hated", "disliked"),
    "love": ("love", "like", "enjoy"),
    "hate": ("hate", "dislike"),
}
TEMPLATES = tuple(
    (join, first, second)
    for join, (text, _) in JOINS.items()
    for first in FORMS
    for second in (FORMS if "{b}" in text.lower() else ("",))
    if first != second
)


@dataclass(frozen=True)
class Review:
    text: str
    label: int
    template: tuple[str, str, str]  # how it is joined, and the forms of its clauses


def held_out(template: tuple[str, str, str]) -> bool:
    """True for the templates of which no training review is made."""
    return crc32("/".join(template).encode()) % HELD_OUT_ONE_IN == 0


def reviews(seed: int, *, held: bool = False) -> Iterator[Review]:
    """Endless reviews, of held-out templates or (to train on) of all others; the joins are equally frequent."""
    rng = Random(seed)
    free = [template for template in TEMPLATES if held_out(template) == held]
    by_join = {join: [t for t in free if t[0] == join] for join in JOINS}
    joins = [join for join in JOINS if by_join[join]]
    while True:
        yield review(rng, rng.choice(by_join[rng.choice(joins)]), rng.choice((NEGATIVE, POSITIVE)))


def review(rng: Random, template: tuple[str, str, str], label: int) -> Review:
    """One review of a template, which praises or blames as `label` says."""
    join, first, second = template
    text, opposite = JOINS[join]
    place = rng.choice(list(TOPICS))
    one = _topic(rng, place, first)
    a = clause(rng, first, TOPICS[place][one], one, label)
    other = _topic(rng, place, second, one)
    b = clause(rng, second, TOPICS[place][other], other, label != opposite) if second else ""
    return Review(text.format(a=a, A=_capital(a), b=b, B=_capital(b)), label, template)


def _topic(rng: Random, place: str, form: str, taken: str = "") -> str:
    counted = "a {" in FORMS[form][0] if form else False
    return rng.choice([t for t in TOPICS[place] if t != taken and not (counted and t in UNCOUNTED)])


def clause(rng: Random, form: str, words: tuple[str, str], topic: str, verdict: int) -> str:
    """One clause about a topic, with words that go with it: praise where `verdict` is 1, blame where it is 0."""
    praise, blame = (w.split() for w in words)
    chosen = {name: rng.choice(choices) for name, choices in WORDS.items()}
    chosen["good"] = rng.choice([*praise, *rng.sample(GOOD, 4)])
    chosen["bad"] = rng.choice([*blame, *rng.sample(BAD, 4)])
    text = FORMS[form][0 if verdict == POSITIVE else 1].format(topic=topic, **chosen)
    for vowel in "aeiou":
        text = text.replace(f" a {vowel}", f" an {vowel}")
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
