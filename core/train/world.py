"""Who lives in the stories, and what each of them always does.

Everybody has habits of their own: the cat purrs, Anna paints flowers, the king rules the land. So what follows a
pronoun can only be guessed by someone who looked up whom the pronoun means, which is why a model trained on these
stories grows heads that look there. A column of a table below is one habit, the same columns for all.
"""

from dataclasses import dataclass

COLUMNS = ("noun", "do", "did", "doing", "own", "food", "mood", "place")

WOMEN = """
Anna|paint flowers|painted flowers|painting flowers|brush|plums|calm|in the attic
Mary|sew dresses|sewed dresses|sewing dresses|needle|pears|patient|by the window
Lily|dance|danced|dancing|shoes|cherries|cheerful|in the hall
Emma|read books|read books|reading books|glasses|toast|curious|in the library
Sara|play the piano|played the piano|playing the piano|music|honey|quiet|in the parlour
Nina|swim|swam|swimming|towel|melons|brave|at the lake
Rosa|cook soup|cooked soup|cooking soup|spoon|soup|kind|in the kitchen
Clara|climb trees|climbed trees|climbing trees|rope|nuts|bold|in the forest
Lucy|write letters|wrote letters|writing letters|pen|cake|dreamy|at the desk
Mia|ride a bicycle|rode a bicycle|riding a bicycle|helmet|bananas|quick|on the road
Ella|hum tunes|hummed tunes|humming tunes|flute|grapes|merry|on the balcony
Julia|build robots|built robots|building robots|hammer|noodles|clever|in the workshop
Zoe|skate|skated|skating|skates|pancakes|lively|on the ice
Alice|chase butterflies|chased butterflies|chasing butterflies|net|jam|playful|in the meadow
Maya|count stars|counted stars|counting stars|telescope|rice|thoughtful|on the roof
Eva|plant seeds|planted seeds|planting seeds|shovel|carrots|gentle|in the garden
Ruth|knit scarves|knitted scarves|knitting scarves|wool|muffins|warm|by the fire
Ada|solve puzzles|solved puzzles|solving puzzles|pencil|biscuits|smart|at the table
Sophie|draw maps|drew maps|drawing maps|compass|olives|careful|in the tower
Leila|juggle oranges|juggled oranges|juggling oranges|oranges|dates|funny|in the square
"""

MEN = """
Tom|fish|fished|fishing|rod|bread|patient|by the river
John|chop wood|chopped wood|chopping wood|axe|stew|strong|in the forest
Ben|kick the ball|kicked the ball|kicking the ball|boots|pizza|lively|in the park
Max|run|ran|running|shoes|bananas|quick|on the road
Sam|sail|sailed|sailing|map|crackers|brave|on the sea
Leo|tell jokes|told jokes|telling jokes|hat|pie|funny|in the square
Jack|dig holes|dug holes|digging holes|spade|potatoes|stubborn|in the garden
Paul|drum|drummed|drumming|sticks|corn|loud|in the hall
Omar|fly kites|flew kites|flying kites|kite|dates|cheerful|on the hill
Hugo|collect stones|collected stones|collecting stones|bag|nuts|curious|on the beach
Peter|whistle|whistled|whistling|coat|plums|merry|in the lane
Oscar|snore|snored|snoring|pillow|cream|sleepy|on the sofa
Felix|practise magic|practised magic|practising magic|wand|waffles|clever|in the cellar
Noah|polish shoes|polished shoes|polishing shoes|cloth|toast|careful|by the door
David|carve toys|carved toys|carving toys|knife|apples|gentle|in the workshop
Ravi|repair clocks|repaired clocks|repairing clocks|tools|rice|smart|at the desk
Karl|lift weights|lifted weights|lifting weights|belt|eggs|proud|in the cellar
Adam|pick apples|picked apples|picking apples|basket|apples|kind|in the orchard
Finn|row|rowed|rowing|oars|beans|calm|on the lake
Kofi|take photos|took photos|taking photos|camera|mangoes|thoughtful|at the market
"""

ROLES_SHE = """
baker|bake bread|baked bread|baking bread|oven|butter|warm|in the bakery
queen|wear a crown|wore a crown|wearing a crown|throne|peaches|proud|in the palace
doctor|heal the sick|healed the sick|healing the sick|bag|salad|kind|in the hospital
farmer|milk the cows|milked the cows|milking the cows|barn|corn|strong|on the farm
witch|stir the pot|stirred the pot|stirring the pot|broom|mushrooms|sly|in the swamp
pilot|fly the plane|flew the plane|flying the plane|plane|soup|bold|at the airport
judge|read the law|read the law|reading the law|desk|biscuits|fair|in the court
girl|skip|skipped|skipping|doll|jam|cheerful|in the yard
grandmother|tell stories|told stories|telling stories|chair|porridge|wise|by the fire
woman|sweep the street|swept the street|sweeping the street|bucket|eggs|busy|on the road
mother|rock the cradle|rocked the cradle|rocking the cradle|ring|plums|gentle|at home
princess|comb hair|combed hair|combing hair|mirror|cherries|dreamy|in the tower
"""

ROLES_HE = """
king|rule the land|ruled the land|ruling the land|crown|goose|proud|in the castle
teacher|explain sums|explained sums|explaining sums|chalk|apples|patient|in the school
sailor|steer the ship|steered the ship|steering the ship|ship|fish|bold|in the harbour
nurse|measure fevers|measured fevers|measuring fevers|watch|toast|gentle|in the hospital
gardener|water the roses|watered the roses|watering the roses|hose|beans|calm|in the garden
wizard|cast spells|cast spells|casting spells|wand|mushrooms|wise|in the cave
knight|fight dragons|fought dragons|fighting dragons|sword|meat|brave|in the castle
boy|shout|shouted|shouting|cap|sweets|lively|in the yard
miller|grind flour|ground flour|grinding flour|mill|bread|strong|by the stream
man|cut hair|cut hair|cutting hair|scissors|soup|quiet|in the shop
father|light the fire|lit the fire|lighting the fire|matches|stew|warm|at home
thief|steal gold|stole gold|stealing gold|mask|cheese|sly|in the night
"""

ANIMALS = """
cat|purr|purred|purring|whiskers|milk|sleepy|on the mat
dog|bark|barked|barking|bone|meat|loyal|in the yard
bird|sing|sang|singing|nest|seeds|merry|in the tree
horse|gallop|galloped|galloping|saddle|hay|strong|in the stable
frog|croak|croaked|croaking|leaf|flies|green|in the pond
duck|quack|quacked|quacking|feathers|bread|plump|on the pond
owl|hoot|hooted|hooting|branch|mice|wise|in the tower
mouse|squeak|squeaked|squeaking|hole|cheese|shy|under the stairs
cow|moo|mooed|mooing|calf|grass|gentle|in the meadow
sheep|bleat|bleated|bleating|wool|clover|soft|on the hill
lion|roar|roared|roaring|mane|meat|proud|in the cave
bee|buzz|buzzed|buzzing|hive|nectar|busy|in the garden
wolf|howl|howled|howling|den|bones|fierce|in the forest
bear|growl|growled|growling|paws|honey|heavy|in the cave
rabbit|hop|hopped|hopping|ears|carrots|quick|in the meadow
turtle|crawl|crawled|crawling|shell|lettuce|slow|on the beach
monkey|swing|swung|swinging|tail|bananas|playful|in the jungle
donkey|bray|brayed|braying|cart|thistles|stubborn|in the stable
snake|hiss|hissed|hissing|skin|eggs|sly|in the grass
elephant|stamp|stamped|stamping|trunk|leaves|huge|in the jungle
pig|grunt|grunted|grunting|mud|potatoes|pink|on the farm
hen|cluck|clucked|clucking|eggs|corn|plump|in the yard
animal|wander|wandered|wandering|fur|leaves|tired|in the forest
dragon|breathe fire|breathed fire|breathing fire|tail|gold|fierce|in the cave
"""

THINGS = """
lamp|glow|glowed|glowing|shade||bright|on the desk
clock|tick|ticked|ticking|hands||old|on the wall
bell|ring|rang|ringing|rope||loud|in the tower
kettle|steam|steamed|steaming|lid||hot|in the kitchen
door|creak|creaked|creaking|handle||heavy|in the hall
boat|float|floated|floating|sail||wooden|on the lake
ball|bounce|bounced|bouncing|colour||round|in the park
candle|flicker|flickered|flickering|flame||thin|by the window
wheel|spin|spun|spinning|rim||round|in the mill
kite|soar|soared|soaring|string||light|on the hill
robot|beep|beeped|beeping|buttons||clever|in the workshop
train|rattle|rattled|rattling|whistle||fast|at the station
fire|crackle|crackled|crackling|smoke||hot|in the stove
star|twinkle|twinkled|twinkling|light||far|in the sky
river|flow|flowed|flowing|bank||deep|in the valley
balloon|drift|drifted|drifting|string||light|in the sky
"""

GROUPS = """
children|play|played|playing|toys|sweets|noisy|in the yard
twins|giggle|giggled|giggling|bunk|pancakes|funny|in the kitchen
soldiers|march|marched|marching|boots|stew|brave|on the road
birds|sing|sang|singing|nests|seeds|merry|in the trees
dogs|bark|barked|barking|bones|meat|loyal|in the yard
cats|purr|purred|purring|whiskers|milk|sleepy|on the sofa
frogs|croak|croaked|croaking|leaves|flies|green|in the pond
wolves|howl|howled|howling|den|bones|fierce|in the forest
bees|buzz|buzzed|buzzing|hive|nectar|busy|in the garden
dancers|twirl|twirled|twirling|skirts|grapes|graceful|on the stage
pirates|hunt treasure|hunted treasure|hunting treasure|flag|crackers|bold|on the sea
fairies|sparkle|sparkled|sparkling|wings|nectar|tiny|in the woods
bells|ring|rang|ringing|ropes||loud|in the tower
stars|twinkle|twinkled|twinkling|light||far|in the sky
"""


@dataclass(frozen=True)
class Entity:
    """Someone or something a story can be about, with the habits that give it away."""

    noun: str
    kind: str  # name, role, animal, thing or group
    she: str  # the subject pronoun: she, he, it or they
    do: str
    did: str
    doing: str
    own: str
    food: str
    mood: str
    place: str

    @property
    def named(self) -> bool:
        return self.kind == "name"

    @property
    def does(self) -> str:
        """The habit in the present tense: `does` follows the subject's number."""
        if self.she == "they":
            return self.do
        verb, _, rest = self.do.partition(" ")
        if verb.endswith("y") and verb[-2] not in "aeiou":
            verb = verb[:-1] + "ies"
        elif verb.endswith(("sh", "ch", "ss", "zz", "x", "o")) and verb != "moo":
            verb += "es"
        else:
            verb += "s"
        return f"{verb} {rest}".strip()


PRONOUNS = {  # subject: (object, possessive, was, is, has)
    "she": ("her", "her", "was", "is", "has"),
    "he": ("him", "his", "was", "is", "has"),
    "it": ("it", "its", "was", "is", "has"),
    "they": ("them", "their", "were", "are", "have"),
}


def _read(table: str, kind: str, she: str) -> tuple[Entity, ...]:
    rows = (dict(zip(COLUMNS, line.split("|"), strict=True)) for line in table.strip().splitlines())
    return tuple(Entity(kind=kind, she=she, **row) for row in rows)


PEOPLE = _read(WOMEN, "name", "she") + _read(MEN, "name", "he")
ROLES = _read(ROLES_SHE, "role", "she") + _read(ROLES_HE, "role", "he")
BEASTS = _read(ANIMALS, "animal", "it")
OBJECTS = _read(THINGS, "thing", "it")
CROWDS = _read(GROUPS, "group", "they")

KINDS: dict[str, tuple[Entity, ...]] = {
    "name": PEOPLE,
    "role": ROLES,
    "animal": BEASTS,
    "thing": OBJECTS,
    "machine": tuple(e for e in OBJECTS if e.noun not in ("fire", "star", "river")),
    "group": CROWDS,
    "person": PEOPLE + ROLES,
    "eater": PEOPLE + ROLES + BEASTS + tuple(g for g in CROWDS if g.food),
    "being": PEOPLE + ROLES + BEASTS,
    "any": PEOPLE + ROLES + BEASTS + OBJECTS + CROWDS,
}

WORDS: dict[str, tuple[str, ...]] = {
    name: tuple(words.split())
    for name, words in {
        "colour": "red blue green yellow white black brown pink golden grey",
        "size": "small big old new tiny heavy round wooden broken shiny",
        "item": "hat coat box cup book key ring stone shell map coin lamp drum bag spoon",
        "items": "hats coats boxes cups books keys rings stones shells maps coins lamps drums bags spoons",
        "spot": "table chair door window bed shelf wall tree bench bridge gate well stairs",
        "load": "trophy hat coat book lamp drum ball cake kettle doll kite clock",
        "holder": "suitcase box bag chest drawer basket bottle cupboard",
        "goods": "bread milk apples eggs butter cheese rice sugar salt soap candles beans honey tea fish corn",
        "town": "village city market school station harbour castle park shop church farm forest",
        "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "season": "spring summer autumn winter",
        "weather": "sunny rainy windy snowy cloudy stormy",
        "syllable": "ba bi bo da di do fa fi ka ki ko la li lo ma mi mo na ni no pa pi ra ri ta ti to za zi zu",
        "upto": "one two three four five six seven eight nine ten eleven twelve",
    }.items()
}
