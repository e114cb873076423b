# ruff: noqa: E501
"""Every rule of the three grammars, against sentences checked by hand; what is held out; what aligns with what."""

from itertools import islice

import pytest

from core.train.lexicon import (
    EVERY_ADJECTIVE,
    EVERY_NOUN,
    EVERY_PLACE,
    EVERY_PRONOUN,
    EVERY_VERB,
    OFTEN,
    PEOPLE,
    WHEN,
    Pronoun,
)
from core.train.meanings import Clause, Phrase, combinations, held_out, meanings, standing_for
from core.train.pairs import CHINESE, FRENCH, Pair, pair, pairs

ADJECTIVES = {a.english: a for a in EVERY_ADJECTIVE}
VERBS = {v.name: v for v in EVERY_VERB}
PRONOUNS = {p.english[0]: p for p in EVERY_PRONOUN}
NAMES = {p.english[0]: Phrase(p, "none") for p in PEOPLE}
ADVERBS = {a.english: a for a in (*OFTEN, *WHEN)}
ME, YOU, HE, SHE, IT, WE, YOU_ALL, THEY = EVERY_PRONOUN


def some(determiner: str, *words: str, many: bool = False) -> Phrase:
    """The last word is the noun, those before it its adjectives; a determiner such as "her" names the owner."""
    *adjectives, noun = words
    owner = next((p for p in EVERY_PRONOUN if p.english[2] == determiner), None)
    described = tuple(ADJECTIVES[a] for a in adjectives)
    return Phrase(EVERY_NOUN[noun], "my" if owner else determiner, many, described, owner)


def does(subject: Phrase | Pronoun, verb: str, thing: Phrase | Pronoun | None = None, **rest: object) -> Clause:
    return Clause("do", subject, verb=VERBS[verb], thing=thing, **rest)  # type: ignore[arg-type]


def looks(subject: Phrase | Pronoun, adjective: str, **rest: object) -> Clause:
    return Clause("be", subject, adjective=ADJECTIVES[adjective], **rest)  # type: ignore[arg-type]


def why(who: Phrase | Pronoun, adjective: str, **rest: object) -> Clause:
    return looks(standing_for(who), adjective, meant=who if isinstance(who, Phrase) else None, **rest)


def at(preposition: str, where: Phrase) -> dict[str, object]:
    place = next(p for p in EVERY_PLACE if p.preposition.english == preposition and p.noun == where.noun)
    return {"where": where, "place": place}


CAT, CAR, TREE, GIRLS = some("the", "cat"), some("the", "car"), some("the", "tree"), some("the", "girl", many=True)
GIRL, APPLE, SUITOR = some("the", "girl"), some("the", "apple"), some("the", "prince")
PAST, NOW = {"tense": "past"}, {"tense": "now"}

CHECKED: list[tuple[Clause, str, str, str]] = [
    # subjects and verbs
    (does(ME, "see", CAT), "I see the cat.", "Je vois le chat.", "我看见猫。"),
    (does(YOU, "see", CAT), "You see the cat.", "Tu vois le chat.", "你看见猫。"),
    (does(HE, "see", CAT), "He sees the cat.", "Il voit le chat.", "他看见猫。"),
    (does(SHE, "see", CAT), "She sees the cat.", "Elle voit le chat.", "她看见猫。"),
    (does(WE, "see", CAT), "We see the cat.", "Nous voyons le chat.", "我们看见猫。"),
    (does(YOU_ALL, "see", CAT), "You all see the cat.", "Vous voyez le chat.", "你们看见猫。"),
    (does(THEY, "see", CAT), "They see the cat.", "Ils voient le chat.", "他们看见猫。"),
    (does(GIRLS, "sing"), "The girls sing.", "Les filles chantent.", "那些女孩唱歌。"),
    (does(WE, "eat", APPLE), "We eat the apple.", "Nous mangeons la pomme.", "我们吃苹果。"),
    (does(NAMES["Anna"], "look", some("a", "key")), "Anna looks for a key.", "Anna cherche une clé.", "安娜找一把钥匙。"),
    # articles, numbers, owners, measure words
    (does(ME, "have", some("a", "egg")), "I have an egg.", "J'ai un œuf.", "我有一个鸡蛋。"),
    (does(ME, "have", some("a", "egg", many=True)), "I have some eggs.", "J'ai des œufs.", "我有一些鸡蛋。"),
    (does(HE, "have", some("two", "horse", many=True)), "He has two horses.", "Il a deux chevaux.", "他有两匹马。"),
    (does(HE, "read", some("this", "book")), "He reads this book.", "Il lit ce livre.", "他读这本书。"),
    (does(HE, "draw", some("this", "tree")), "He draws this tree.", "Il dessine cet arbre.", "他画这棵树。"),
    (does(HE, "draw", some("this", "flower")), "He draws this flower.", "Il dessine cette fleur.", "他画这朵花。"),
    (does(HE, "draw", some("this", "flower", many=True)), "He draws these flowers.", "Il dessine ces fleurs.", "他画这些花。"),
    (does(SHE, "wash", some("my", "shirt")), "She washes my shirt.", "Elle lave ma chemise.", "她洗我的衬衫。"),
    (does(SHE, "like", some("my", "picture")), "She likes my picture.", "Elle aime mon image.", "她喜欢我的图片。"),
    (does(SHE, "like", some("my", "small", "picture")), "She likes my small picture.", "Elle aime ma petite image.", "她喜欢我的小图片。"),
    (does(HE, "wash", some("her", "car")), "He washes her car.", "Il lave sa voiture.", "他洗她的汽车。"),
    (does(SHE, "wash", some("his", "hat")), "She washes his hat.", "Elle lave son chapeau.", "她洗他的帽子。"),
    (does(SHE, "take", some("our", "key", many=True)), "She takes our keys.", "Elle prend nos clés.", "她拿我们的钥匙。"),
    (does(SHE, "take", some("their", "key")), "She takes their key.", "Elle prend leur clé.", "她拿他们的钥匙。"),
    (does(HE, "drink", some("a", "water")), "He drinks water.", "Il boit de l'eau.", "他喝水。"),
    (does(HE, "drink", some("a", "milk")), "He drinks milk.", "Il boit du lait.", "他喝牛奶。"),
    (does(HE, "eat", some("a", "soup")), "He eats soup.", "Il mange de la soupe.", "他喝汤。"),
    (does(HE, "drink", some("the", "tea")), "He drinks the tea.", "Il boit le thé.", "他喝茶。"),
    # adjectives: agreement, place, forms before a vowel
    (does(CAT, "see", some("the", "red", "car")), "The cat sees the red car.", "Le chat voit la voiture rouge.", "猫看见红色的汽车。"),
    (does(CAT, "see", some("the", "big", "red", "car")), "The cat sees the big red car.", "Le chat voit la grande voiture rouge.", "猫看见红色的大汽车。"),
    (looks(some("the", "car", many=True), "green"), "The cars are green.", "Les voitures sont vertes.", "那些汽车是绿色的。"),
    (does(ME, "see", some("a", "beautiful", "cat")), "I see a beautiful cat.", "Je vois un beau chat.", "我看见一只漂亮的猫。"),
    (does(ME, "see", some("a", "beautiful", "bird")), "I see a beautiful bird.", "Je vois un bel oiseau.", "我看见一只漂亮的鸟。"),
    (does(ME, "see", some("a", "beautiful", "owl")), "I see a beautiful owl.", "Je vois un beau hibou.", "我看见一只漂亮的猫头鹰。"),
    (does(ME, "see", some("a", "beautiful", "bee")), "I see a beautiful bee.", "Je vois une belle abeille.", "我看见一只漂亮的蜜蜂。"),
    (does(ME, "see", some("a", "beautiful", "bird", many=True)), "I see some beautiful birds.", "Je vois de beaux oiseaux.", "我看见一些漂亮的鸟。"),
    (does(ME, "see", some("a", "old", "tree")), "I see an old tree.", "Je vois un vieil arbre.", "我看见一棵老树。"),
    (does(ME, "see", some("a", "old", "house")), "I see an old house.", "Je vois une vieille maison.", "我看见一座旧房子。"),
    (does(ME, "see", some("the", "old", "man", many=True)), "I see the old men.", "Je vois les vieux hommes.", "我看见那些老男人。"),
    (does(ME, "buy", some("a", "new", "clock")), "I buy a new clock.", "J'achète une nouvelle horloge.", "我买一座新钟。"),
    (does(ME, "see", some("a", "white", "cow")), "I see a white cow.", "Je vois une vache blanche.", "我看见一头白色的牛。"),
    (does(ME, "see", some("the", "grey", "mouse", many=True)), "I see the grey mice.", "Je vois les souris grises.", "我看见那些灰色的老鼠。"),
    (looks(GIRL, "happy"), "The girl is happy.", "La fille est heureuse.", "女孩很高兴。"),
    (looks(ME, "tired"), "I am tired.", "Je suis fatigué.", "我很累。"),
    (looks(SHE, "tired"), "She is tired.", "Elle est fatiguée.", "她很累。"),
    (looks(GIRLS, "hungry"), "The girls are hungry.", "Les filles ont faim.", "那些女孩很饿。"),
    (looks(HE, "hungry", very=True, negated=True), "He is not very hungry.", "Il n'a pas très faim.", "他不太饿。"),
    (looks(CAR, "broken"), "The car is broken.", "La voiture est cassée.", "汽车坏了。"),
    (looks(CAR, "broken", negated=True), "The car is not broken.", "La voiture n'est pas cassée.", "汽车没有坏。"),
    (looks(CAR, "red", negated=True), "The car is not red.", "La voiture n'est pas rouge.", "汽车不是红色的。"),
    (looks(some("the", "soup"), "hot", very=True), "The soup is very hot.", "La soupe est très chaude.", "汤非常热。"),
    # elision
    (does(some("the", "uncle"), "fall"), "The uncle falls.", "L'oncle tombe.", "叔叔摔倒。"),
    (does(some("the", "man"), "like", some("the", "water")), "The man likes the water.", "L'homme aime l'eau.", "男人喜欢水。"),
    (does(some("the", "hero"), "sleep"), "The hero sleeps.", "Le héros dort.", "英雄睡觉。"),
    (does(ME, "help", GIRL, negated=True), "I do not help the girl.", "Je n'aide pas la fille.", "我不帮助女孩。"),
    # negation
    (does(CAT, "see", CAR, negated=True), "The cat does not see the car.", "Le chat ne voit pas la voiture.", "猫看不见汽车。"),
    (does(HE, "have", some("a", "dog"), negated=True), "He does not have a dog.", "Il n'a pas de chien.", "他没有狗。"),
    (does(HE, "buy", some("a", "egg", many=True), negated=True), "He does not buy any eggs.", "Il n'achète pas d'œufs.", "他不买鸡蛋。"),
    (does(HE, "drink", some("a", "milk"), negated=True), "He does not drink milk.", "Il ne boit pas de lait.", "他不喝牛奶。"),
    (does(HE, "drink", some("a", "water"), never=True), "He never drinks water.", "Il ne boit jamais d'eau.", "他从不喝水。"),
    (does(HE, "buy", some("a", "red", "book"), negated=True, **PAST), "He did not buy a red book.", "Il n'a pas acheté de livre rouge.", "他没有买红色的书。"),
    # past
    (does(CAT, "eat", some("the", "bread"), **PAST), "The cat ate the bread.", "Le chat a mangé le pain.", "猫吃了面包。"),
    (does(GIRLS, "arrive", **PAST), "The girls arrived.", "Les filles sont arrivées.", "那些女孩到达了。"),
    (does(SHE, "leave", negated=True, **PAST), "She did not leave.", "Elle n'est pas partie.", "她没有离开。"),
    (does(ME, "see", CAT, when=ADVERBS["yesterday"], **PAST), "I saw the cat yesterday.", "J'ai vu le chat hier.", "我昨天看见了猫。"),
    # in progress
    (does(GIRL, "dance", **NOW), "The girl is dancing.", "La fille danse.", "女孩正在跳舞。"),
    (does(ME, "read", some("a", "letter"), **NOW), "I am reading a letter.", "Je lis une lettre.", "我正在读一封信。"),
    (does(HE, "sleep", negated=True, **NOW), "He is not sleeping.", "Il ne dort pas.", "他没有睡觉。"),
    # objects that are pronouns
    (does(ME, "see", SHE), "I see her.", "Je la vois.", "我看见她。"),
    (does(SHE, "like", HE), "She likes him.", "Elle l'aime.", "她喜欢他。"),
    (does(SHE, "know", ME, negated=True), "She does not know me.", "Elle ne me connaît pas.", "她不认识我。"),
    (does(ME, "see", SHE, **PAST), "I saw her.", "Je l'ai vue.", "我看见了她。"),
    (does(CAT, "find", THEY, **PAST), "The cat found them.", "Le chat les a trouvés.", "猫找到了他们。"),
    (does(HE, "wait", YOU_ALL), "He waits for you all.", "Il vous attend.", "他等你们。"),
    # adverbs
    (does(CAT, "chase", some("the", "bird"), often=ADVERBS["often"]), "The cat often chases the bird.", "Le chat poursuit souvent l'oiseau.", "猫经常追鸟。"),
    (does(WE, "work", when=ADVERBS["today"]), "We work today.", "Nous travaillons aujourd'hui.", "我们今天工作。"),
    # places
    (does(CAT, "sleep", **at("in", some("the", "garden"))), "The cat sleeps in the garden.", "Le chat dort dans le jardin.", "猫在花园里睡觉。"),
    (does(CAT, "sleep", **at("under", some("a", "table"))), "The cat sleeps under a table.", "Le chat dort sous une table.", "猫在一张桌子下面睡觉。"),
    (does(CAT, "sleep", **NOW, **at("in", some("the", "garden"))), "The cat is sleeping in the garden.", "Le chat dort dans le jardin.", "猫正在花园里睡觉。"),
    (does(HE, "walk", **at("near", some("the", "garden"))), "He walks near the garden.", "Il marche près du jardin.", "他在花园旁边走路。"),
    (does(HE, "walk", **at("near", TREE)), "He walks near the tree.", "Il marche près de l'arbre.", "他在树旁边走路。"),
    (does(HE, "walk", **at("near", some("a", "island"))), "He walks near an island.", "Il marche près d'une île.", "他在一座岛旁边走路。"),
    (does(HE, "walk", negated=True, **at("near", some("my", "house"))), "He does not walk near my house.", "Il ne marche pas près de ma maison.", "他不在我的房子旁边走路。"),
    (Clause("at", CAT, **at("behind", some("the", "door"))), "The cat is behind the door.", "Le chat est derrière la porte.", "猫在门后面。"),
    (Clause("at", CAT, negated=True, **at("in front of", some("the", "house"))), "The cat is not in front of the house.", "Le chat n'est pas devant la maison.", "猫不在房子前面。"),
    (Clause("there", some("a", "cat"), **at("in", some("the", "garden"))), "There is a cat in the garden.", "Il y a un chat dans le jardin.", "花园里有一只猫。"),
    (Clause("there", some("a", "cat"), negated=True, **at("in", some("the", "garden"))), "There is no cat in the garden.", "Il n'y a pas de chat dans le jardin.", "花园里没有猫。"),
    (Clause("there", some("three", "bird", many=True), **at("on", some("the", "table"))), "There are three birds on the table.", "Il y a trois oiseaux sur la table.", "桌子上有三只鸟。"),
    # because: the French pronoun has the gender of the noun that it stands for
    (does(CAT, "sleep", because=why(CAT, "tired")), "The cat sleeps because it is tired.", "Le chat dort parce qu'il est fatigué.", "猫睡觉，因为它很累。"),
    (does(some("the", "mouse"), "sleep", because=why(some("the", "mouse"), "tired")), "The mouse sleeps because it is tired.", "La souris dort parce qu'elle est fatiguée.", "老鼠睡觉，因为它很累。"),
    (does(SUITOR, "buy", CAR, because=why(CAR, "red")), "The prince buys the car because it is red.", "Le prince achète la voiture parce qu'elle est rouge.", "王子买汽车，因为它是红色的。"),
    (does(SUITOR, "buy", some("the", "boat"), because=why(some("the", "boat"), "red")), "The prince buys the boat because it is red.", "Le prince achète le bateau parce qu'il est rouge.", "王子买船，因为它是红色的。"),
    (does(GIRLS, "cry", **PAST, because=why(GIRLS, "sad", **PAST)), "The girls cried because they were sad.", "Les filles ont pleuré parce qu'elles étaient tristes.", "那些女孩哭了，因为她们很难过。"),
    (does(some("the", "hen", many=True), "run", because=why(some("the", "hen", many=True), "hungry")), "The hens run because they are hungry.", "Les poules courent parce qu'elles ont faim.", "那些母鸡跑，因为它们很饿。"),
    (does(ME, "sleep", because=why(ME, "sick")), "I sleep because I am sick.", "Je dors parce que je suis malade.", "我睡觉，因为我生病了。"),
    # questions
    (does(CAT, "see", some("the", "mouse"), asked=True), "Does the cat see the mouse?", "Est-ce que le chat voit la souris ?", "猫看见老鼠吗？"),
    (does(SHE, "sleep", asked=True, **PAST), "Did she sleep?", "Est-ce qu'elle a dormi ?", "她睡觉了吗？"),
    (does(SHE, "dance", asked=True, **NOW), "Is she dancing?", "Est-ce qu'elle danse ?", "她正在跳舞吗？"),
    (looks(some("the", "bird"), "happy", asked=True), "Is the bird happy?", "Est-ce que l'oiseau est heureux ?", "鸟很高兴吗？"),
    (Clause("there", some("a", "cat"), asked=True, **at("on", some("the", "bed"))), "Is there a cat on the bed?", "Est-ce qu'il y a un chat sur le lit ?", "床上有一只猫吗？"),
    # names of things
    (Clause("name", some("the", "red", "car")), "The red car", "La voiture rouge", "红色的汽车"),
    (Clause("name", some("my", "old", "dog", many=True)), "My old dogs", "Mes vieux chiens", "我的老狗"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "english", "french", "chinese"), CHECKED, ids=lambda x: x if isinstance(x, str) else ""
)
def test_references_checked_by_hand(clause: Clause, english: str, french: str, chinese: str) -> None:
    in_french, in_chinese = pair(clause, FRENCH), pair(clause, CHINESE, tag=CHINESE)
    assert in_french.source == english
    assert in_french.target == french
    assert in_chinese.source == f"<zh> {english}"
    assert in_chinese.target == chinese


@pytest.fixture(scope="module")
def drawn() -> list[Pair]:
    return list(islice(pairs(7), 5000))


@pytest.fixture(scope="module")
def unseen() -> list[Pair]:
    return list(islice(pairs(8, held=True), 500))


def test_a_seed_gives_the_same_pairs(drawn: list[Pair]) -> None:
    assert drawn == list(islice(pairs(7), 5000))
    assert drawn[:50] != list(islice(pairs(9), 50))


def test_held_out_combinations_are_never_trained_on(drawn: list[Pair], unseen: list[Pair]) -> None:
    assert not any(held_out(c) for p in drawn for c in p.combinations)
    assert all(any(held_out(c) for c in p.combinations) for p in unseen)
    assert not {p.source for p in drawn} & {p.source for p in unseen}
    trained = {c for p in drawn for c in p.combinations}
    assert {c[0] for p in unseen for c in p.combinations} <= {c[0] for c in trained}  # only the combination is new


def test_combinations_name_each_adjective_with_its_noun_and_the_verb() -> None:
    clause = does(CAT, "see", some("the", "big", "red", "car"), **at("under", some("a", "old", "tree")))
    assert combinations(clause) == [("car", "big", "see"), ("car", "red", "see"), ("tree", "old", "see")]
    assert combinations(looks(some("the", "red", "car"), "old")) == [("car", "red", "be")]


def test_a_source_has_one_right_translation() -> None:
    found: dict[tuple[str, str], str] = {}
    for p in islice(pairs(10), 60_000):
        key = p.language, p.source.removeprefix(f"{p.language} ")
        assert found.setdefault(key, p.target) == p.target


def test_links_slice_to_words_that_say_the_same(drawn: list[Pair], unseen: list[Pair]) -> None:
    nouns = {n.english[many]: (n.french[many], n.chinese) for n in EVERY_NOUN.values() for many in (0, 1)}
    for p in drawn + unseen:
        for link in p.links:
            said = p.target[slice(*link.span)]
            sources = [p.source[slice(*span)] for span in link.sources]
            assert said
            assert all(sources)
            assert " " not in said or said.lower().startswith("parce qu")
            if link.part.endswith(".noun") and sources[0] in nouns:
                assert said in nouns[sources[0]]
            if link.part.endswith("because"):
                assert sources == ["because"]


def test_every_content_word_of_the_source_is_aligned(drawn: list[Pair]) -> None:
    for p in drawn:
        aligned = {p.source[slice(*span)] for link in p.links if link.content for span in link.sources}
        assert {w for w in p.source.strip(".?").split() if w in EVERY_NOUN or w in ADJECTIVES} <= aligned


def test_no_grammar_shows_through(drawn: list[Pair]) -> None:
    for p in drawn:
        for text in (p.source, p.target):
            assert text == text.strip()
            assert "  " not in text
        if p.language == CHINESE:
            assert p.source.startswith(CHINESE)
            assert " " not in p.target
        elif p.target[-1] in ".?":
            assert (p.target[-1] == "?") == (p.source[-1] == "?")


def test_every_word_is_used_in_every_role() -> None:
    seen = list(islice(meanings(11), 40_000))
    assert {c.verb for c in seen if c.verb} == set(EVERY_VERB)
    assert {c.adjective for c in seen if c.adjective} == set(EVERY_ADJECTIVE)
    assert {c.place for c in seen if c.place} == set(EVERY_PLACE)
    assert {c.subject for c in seen if isinstance(c.subject, Pronoun)} == set(EVERY_PRONOUN)
    assert {c.shape for c in seen} == {"do", "be", "at", "there", "name"}
    assert sum(c.because is not None for c in seen) > 2000
