"""The tables behind `lexicon`: one word a line, its columns named above each table."""

# English (plural if irregular) | French (plural) | gender | Chinese | measure word | kinds
NOUNS = """
cat|chat|m|猫|只|animal
dog|chien|m|狗|只|animal
bird|oiseau|m|鸟|只|animal
horse|cheval chevaux|m|马|匹|animal
mouse mice|souris|f|老鼠|只|animal
cow|vache|f|牛|头|animal
rabbit|lapin|m|兔子|只|animal
frog|grenouille|f|青蛙|只|animal
duck|canard|m|鸭子|只|animal
bee|abeille|f|蜜蜂|只|animal
wolf wolves|loup|m|狼|只|animal
bear|ours|m|熊|头|animal
turtle|tortue|f|乌龟|只|animal
snake|serpent|m|蛇|条|animal
elephant|éléphant|m|大象|头|animal
owl|hibou hiboux|m|猫头鹰|只|animal
hen|poule|f|母鸡|只|animal
spider|araignée|f|蜘蛛|只|animal
boy|garçon|m|男孩|个|person
girl|fille|f|女孩|个|person
man men|homme|m|男人|个|person
woman women|femme|f|女人|个|person
child children|enfant|m|孩子|个|person
king|roi|m|国王|个|person
queen|reine|f|女王|个|person
mother|mère|f|妈妈|个|person
father|père|m|爸爸|个|person
prince|prince|m|王子|个|person
princess|princesse|f|公主|个|person
aunt|tante|f|阿姨|个|person
uncle|oncle|m|叔叔|个|person
student|étudiant|m|学生|个|person
teacher|professeur|m|老师|个|person
actress|actrice|f|女演员|个|person
hero heroes|héros|m|英雄|个|person
car|voiture|f|汽车|辆|thing vehicle dirty
book|livre|m|书|本|thing text
house|maison|f|房子|座|thing building
tree|arbre|m|树|棵|thing plant
flower|fleur|f|花|朵|thing plant
table|table|f|桌子|张|thing furniture
chair|chaise|f|椅子|把|thing furniture
door|porte|f|门|扇|thing opening
window|fenêtre|f|窗户|扇|thing opening glass
letter|lettre|f|信|封|thing text
key|clé|f|钥匙|把|thing small
hat|chapeau|m|帽子|顶|thing small cloth
coat|manteau|m|大衣|件|thing cloth
shirt|chemise|f|衬衫|件|thing cloth
dress|robe|f|裙子|条|thing cloth
shoe|chaussure|f|鞋|只|thing small cloth
boat|bateau|m|船|条|thing vehicle
bicycle|vélo|m|自行车|辆|thing vehicle dirty
photo|photo|f|照片|张|thing small
picture|image|f|图片|张|thing small
lamp|lampe|f|灯|盏|thing small glass
bed|lit|m|床|张|thing furniture
box|boîte|f|盒子|个|thing small opening
ball|ballon|m|球|个|thing small
knife knives|couteau|m|刀|把|thing small
bottle|bouteille|f|瓶子|个|thing small opening glass
cup|tasse|f|杯子|个|thing small glass
clock|horloge|f|钟|座|thing glass
apple|pomme|f|苹果|个|thing food
cake|gâteau|m|蛋糕|个|thing food
egg|œuf|m|鸡蛋|个|thing food
orange|orange|f|橙子|个|thing food
pear|poire|f|梨|个|thing food
school|école|f|学校|所|building
hotel|hôtel|m|旅馆|家|building
museum|musée|m|博物馆|座|building
island|île|f|岛|座|land
garden|jardin|m|花园|个|land
park|parc|m|公园|个|land
forest|forêt|f|森林|片|land
kitchen|cuisine|f|厨房|间|room
hospital|hôpital|m|医院|家|building
station|gare|f|车站|个|building
water|eau|f|水||mass drink
milk|lait|m|牛奶||mass drink
tea|thé|m|茶||mass drink
coffee|café|m|咖啡||mass drink
bread|pain|m|面包||mass meal
soup|soupe|f|汤||mass meal
rice|riz|m|米饭||mass meal
meat|viande|f|肉||mass meal
"""

# the name, in English and in French | gender | Chinese
NAMES = """
Anna|f|安娜
Emma|f|艾玛
Marie|f|玛丽
Tom|m|汤姆
Paul|m|保罗
Leo|m|里奥
"""

# English | French: masculine, feminine if irregular, masculine before a vowel | Chinese, of what lives if other
# | how Chinese says it | marks | kinds of noun
ADJECTIVES = """
big|grand|大|plain|before|animal thing building land
small|petit|小|plain|before|animal person thing building land
beautiful|beau belle bel|漂亮|de|before|animal person thing building land
old|vieux vieille vieil|旧 老|plain|before|animal person thing building
new|nouveau nouvelle nouvel|新|plain|before|thing building
good|bon bonne|好|plain|before|person food meal drink text
bad|mauvais|坏|plain|before|person meal drink text
young|jeune|年轻|de|before|person
red|rouge|红色|colour||thing
blue|bleu|蓝色|colour||thing
green|vert|绿色|colour||thing
yellow|jaune|黄色|colour||thing
black|noir|黑色|colour||animal thing
white|blanc blanche|白色|colour||animal thing
grey|gris|灰色|colour||animal thing
tired|fatigué|累|de|alone|animal person
hungry|faim|饿|de|having|animal person
thirsty|soif|渴|de|having|animal person
happy|heureux heureuse|高兴|de||animal person
sad|triste|难过|de||animal person
clever|intelligent|聪明|de||animal person
strong|fort|强壮|de||animal person
slow|lent|慢|de|alone|animal person vehicle
fast|rapide|快|de|alone|animal person vehicle
sick|malade|生病|state|alone|animal person
heavy|lourd|重|de||small furniture
expensive|cher chère|贵|de||thing
broken|cassé|坏|state|alone|vehicle furniture glass small
dirty|sale|脏|de||animal cloth vehicle furniture
clean|propre|干净|de||animal cloth vehicle furniture
long|long longue|长|de||cloth text
round|rond|圆|de||small
hot|chaud|热|de||drink meal
cold|froid|冷|de||drink meal
dangerous|dangereux dangereuse|危险|de||animal land
"""

# English: base, he, past, -ing, particle | French: -er verb, or its six forms | participle | Chinese, and what stands
# for "not" with it | who | what | marks: steady (said in the present only), whole (never in progress), unpast (its past
# is written like its present), moving (its French past is made with "être")
VERBS = """
see sees saw seeing|vois vois voit voyons voyez voient|vu|看见 看不见|living|living thing building|whole
like likes liked liking|aimer||喜欢|living|living thing building mass|steady
want wants wanted wanting|veux veux veut voulons voulez veulent|voulu|想要|person|thing mass|steady
know knows knew knowing|connais connais connaît connaissons connaissez connaissent|connu|认识|person|person|steady
have has had having|ai as a avons avez ont|eu|有 没有|person|animal thing|steady
eat eats ate eating|manger||吃|living|food meal|
drink drinks drank drinking|bois bois boit buvons buvez boivent|bu|喝|living|drink|
read reads read reading|lis lis lit lisons lisez lisent|lu|读|person|text|unpast
write writes wrote writing|écris écris écrit écrivons écrivez écrivent|écrit|写|person|text|
buy buys bought buying|achète achètes achète achetons achetez achètent|acheté|买|person|animal thing mass|
sell sells sold selling|vends vends vend vendons vendez vendent|vendu|卖|person|animal thing mass|
open opens opened opening|ouvre ouvres ouvre ouvrons ouvrez ouvrent|ouvert|打开|person|opening|
close closes closed closing|fermer||关|person|opening|
wash washes washed washing|laver||洗|person|animal cloth dirty food cup bottle|
draw draws drew drawing|dessiner||画|person|living thing building|
find finds found finding|trouver||找到 找不到|living|living thing|whole
look looks looked looking for|chercher||找|living|living thing|
help helps helped helping|aider||帮助|living|living|
wait waits waited waiting for|attends attends attend attendons attendez attendent|attendu|等|living|living|
take takes took taking|prends prends prend prenons prenez prennent|pris|拿|person|small food cloth text|
carry carries carried carrying|porter||搬|person|small furniture|
break breaks broke breaking|casser||打破|living|glass|
push pushes pushed pushing|pousser||推|living|furniture vehicle door|
hide hides hid hiding|cacher||藏|living|small food text|
forget forgets forgot forgetting|oublier||忘记|person|small cloth text|whole
visit visits visited visiting|visiter||参观|person|building island|
watch watches watched watching|regarder||看|living|living|
chase chases chased chasing|poursuis poursuis poursuit poursuivons poursuivez poursuivent|poursuivi|追|animal|living|
sleep sleeps slept sleeping|dors dors dort dormons dormez dorment|dormi|睡觉|living||
run runs ran running|cours cours court courons courez courent|couru|跑|living||
sing sings sang singing|chanter||唱歌|person bird||
dance dances danced dancing|danser||跳舞|person||
swim swims swam swimming|nager||游泳|living||
work works worked working|travailler||工作|person||
cry cries cried crying|pleurer||哭|person||
laugh laughs laughed laughing|ris ris rit rions riez rient|ri|笑|person||
play plays played playing|jouer||玩|living||
speak speaks spoke speaking|parler||说话|person||
walk walks walked walking|marcher||走路|living||
jump jumps jumped jumping|sauter||跳|living||
arrive arrives arrived arriving|arriver||到达|living||moving
fall falls fell falling|tomber||摔倒|living||moving
leave leaves left leaving|pars pars part partons partez partent|parti|离开|living||moving
"""

# English: subject, object, possessive | French: subject, object, possessive (masculine) | Chinese | person | gender
PRONOUNS = """
I,me,my|je,me,mon|我|0|m
you,you,your|tu,te,ton|你|1|m
he,him,his|il,le,son|他|2|m
she,her,her|elle,la,son|她|2|f
it,it,its|il,le,son|它|2|m
we,us,our|nous,nous,notre|我们|3|m
you all,you all,your|vous,vous,votre|你们|4|m
they,them,their|ils,les,leur|他们|5|m
"""

# English | French | Chinese, after the noun | nouns
PLACES = """
in|dans|里|garden park forest kitchen house school hotel museum hospital station box
on|sur|上|table chair bed island box
under|sous|下面|table chair bed tree
behind|derrière|后面|door house tree school car hotel museum
in front of|devant|前面|door house school window hotel hospital station
near|près de|旁边|window tree house school table car island hospital garden
"""

# English | French | Chinese
ADVERBS = """
often|souvent|经常
always|toujours|总是
sometimes|parfois|有时候
"""

# English | French | Chinese
TIMES = """
today|aujourd'hui|今天
yesterday|hier|昨天
"""
