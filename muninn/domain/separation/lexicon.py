"""Knows the closed word lists of the separation guard: English and Spanish in full, a few others to stay harmless.

Every entry is lower case with its accents. A list may only make the guard name a slot better or refuse more; no word
here ever makes two texts equal, except the contractions at the end and what lets a comma or a greeting go.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _list(words: str) -> list[str]:
    return words.split()


def _map(lines: str) -> dict[str, str]:
    """``"canonical: form form"`` lines → form → canonical."""
    table: dict[str, str] = {}
    for line in lines.strip().splitlines():
        canonical, forms = line.split(":", 1)
        for form in (canonical.strip(), *forms.split()):
            table[form] = canonical.strip()
    return table


def _phrases(phrases: str) -> dict[str, tuple[str, ...]]:
    """``"a b|c d e"`` → first word → the phrases that it opens."""
    table: dict[str, tuple[str, ...]] = {}
    for phrase in phrases.split("|"):
        first = phrase.split()[0]
        table[first] = (*table.get(first, ()), phrase)
    return table


NEGATIONS = _set(
    "not no never without none nobody nothing neither nor nowhere cannot non except unless hardly barely "
    "scarcely nunca jamás apenas sin ningún ninguno ninguna ningunos ningunas nadie nada tampoco ni excepto salvo "
    "nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune ne rien não nenhum nenhuma "
    "sem geen niet nooit zonder mai senza nessun nessuno nessuna не нет ни без никогда لا لم لن ليس بدون غير "
    "不 没 沒 無 无 未 非 别 別 勿 안 못 नहीं मत"
)
"""Words that turn a statement over. Contractions in n't are BARE_CONTRACTIONS."""

QUITTING = _set("deja dejan dejó dejaron dejado dejar dejé dejo dejamos dejaba dejará dejando")
"""Before "de" these deny what follows."""

FORWARD_NEGATIONS = _set("no not never nunca jamás nicht nein non não nao nee niet не нет لا 不 没 別 别")
"""Negations that take hold of what follows unless punctuation stands between."""

REMINDERS = _set("forget hesitate olvides olvidar olvide olvidéis dudes")
"""After a negation these cancel it: "do not forget to X" asks for X."""

WEEKDAYS = _map(
    """
    1: monday mon mondays lunes
    2: tuesday tue tues tuesdays martes
    3: wednesday wed weds wednesdays miércoles miercoles
    4: thursday thu thur thurs thursdays jueves
    5: friday fri fridays viernes
    6: saturday sat saturdays sábado sabado sábados
    7: sunday sun sundays domingo domingos
    """
)
MONTHS = _map(
    """
    01: january jan enero
    02: february feb febrero
    03: march mar marzo
    04: april apr abril
    05: may mayo
    06: june jun junio
    07: july jul julio
    08: august aug agosto
    09: september sep sept septiembre setiembre
    10: october oct octubre
    11: november nov noviembre
    12: december dec diciembre
    """
)
DOUBTFUL_CALENDAR = _set("may march mar mon sun sat wed second")
"""Calendar words that are ordinary words too: they need a capital letter or a day beside them."""

RELATIVE_DAYS = _set(
    "today yesterday tomorrow tonight hoy ayer mañana anteayer anoche daily weekly monthly yearly hourly quarterly "
    "annually nightly anteanoche diario diaria diariamente semanal semanalmente mensual mensualmente anual anualmente trimestral"
)
DAY_PHRASES = _phrases("day after tomorrow|day before yesterday|pasado mañana|antes de ayer")
MINUTES_BEFORE_HOUR = _phrases("quarter past|quarter to|quarter after|half past")
MINUTES_AFTER_HOUR = _phrases("y media|y cuarto|menos cuarto")
"""The minutes of a time in words, where an hour stands beside them."""
TIME_ZONES = _set(
    "UTC GMT CET CEST EET EEST WET BST EST EDT CST CDT MST MDT PST PDT AKST HST MSK IST JST KST AEST AEDT ACST AWST NZST NZDT"
)
TIMES_OF_DAY = _set(
    "morning mornings afternoon afternoons evening evenings night nights noon midday midnight dawn dusk "
    "mañana mañanas tarde tardes noche noches mediodía medianoche madrugada"
)
SPANS = _set(
    "week weekend month quarter year night spring summer autumn fall winter last next past coming previous ago hace dentro "
    "semana mes trimestre año verano otoño invierno primavera pasado pasada próximo próxima"
)
"""What says when, counted from today ("last week", "hace dos semanas"): two of them exchanged are another date."""

UNITS = _map(
    """
    ms: millisecond milliseconds msec milisegundo milisegundos
    µs: us μs microsecond microseconds microsegundo microsegundos
    ns: nanosecond nanoseconds
    s: sec secs second seconds segundo segundos seg
    min: mins minute minutes minuto minutos
    h: hr hrs hour hours hora horas
    d: day days día días
    week: weeks wk semana semanas
    month: months mes meses
    year: years yr yrs año años
    quarter: quarters trimestre trimestres
    byte: bytes B
    bit: bits
    KB: kB kilobyte kilobytes
    MB: megabyte megabytes
    GB: gigabyte gigabytes
    TB: terabyte terabytes
    PB: petabyte petabytes
    KiB: kibibyte
    MiB: mebibyte mebibytes
    GiB: gibibyte gibibytes
    TiB: tebibyte
    kb: kbit
    Mb: Mbit megabit megabits
    Gb: Gbit gigabit gigabits
    kbps: kb/s
    Mbps: Mb/s Mbit/s
    Gbps: Gb/s Gbit/s
    kB/s: KB/s
    MB/s:
    GB/s:
    km/h:
    m/s:
    mph: MPH
    mm: millimetre millimetres millimeter millimeters milímetro milímetros
    cm: centimetre centimetres centimeter centimeters centímetro centímetros
    m: metre metres meter meters metro metros
    km: kilometre kilometres kilometer kilometers kilómetro kilómetros
    mi: mile miles milla millas
    inch: inches pulgada pulgadas
    ft: foot feet pie pies
    µg: ug μg mcg microgram micrograms microgramo microgramos
    mg: milligram milligrams miligramo miligramos
    g: gram grams gramo gramos
    kg: kilo kilos kilogram kilograms kilogramo kilogramos
    t: tonne tonnes tonelada toneladas
    ton: tons
    lb: lbs
    oz: ounce ounces
    ml: mL millilitre millilitres mililitro mililitros
    l: L litre litres liter liters litro litros
    tbsp: tablespoon tablespoons cucharada cucharadas
    tsp: teaspoon teaspoons cucharadita cucharaditas
    mg/dL: mg/dl
    mmol/L: mmol/l
    mg/kg:
    hectare: hectares hectárea hectáreas
    Hz: hertz
    kHz:
    MHz:
    GHz:
    W: watt watts vatio vatios
    mW:
    MW: megawatt megawatts megavatio megavatios
    kW: kilowatt kilowatts
    kWh:
    V: volt volts voltio voltios
    A: amp amps
    °C: celsius
    °F: fahrenheit
    %: percent pct
    ‰:
    px: pixel pixels píxel píxeles
    times: veces
    rpm:
    rps:
    qps:
    """
)
"""Short symbols keep their case (Mb is not MB, mW is not MW)."""

CURRENCIES = _map(
    """
    EUR: € euro euros eur
    USD: usd us$
    GBP: £ gbp
    JPY: ¥ yen jpy
    MXN: mxn
    CHF: chf
    INR: ₹ inr rupee rupees
    $: dollar dollars dólar dólares
    peso: pesos
    pound: pounds libra libras
    cent: cents
    céntimo: céntimos
    centavo: centavos
    BTC: btc bitcoin bitcoins
    """
)
"""``$`` stands for several currencies, so it is not USD."""
CURRENCY_CODES = _set(
    "CAD AUD NZD HKD SGD CNY BRL ARS CLP COP PEN UYU BOB CRC DOP SEK NOK DKK ISK PLN CZK HUF RON BGN UAH RUB ZAR KRW ILS AED SAR "
    "THB IDR MYR VND TWD"
)
"""Beside an amount, and in capitals: some are words too."""
NATIONALITIES = _map(
    """
    american: estadounidense estadounidenses americano americanos
    canadian: canadiense canadienses
    australian: australiano australianos
    mexican: mexicano mexicanos
    argentine: argentinian argentino argentinos
    chilean: chileno chilenos
    colombian: colombiano colombianos
    uruguayan: uruguayo uruguayos
    dominican: dominicano dominicanos
    cuban: cubano cubanos
    philippine: filipino filipinos
    sterling: esterlina esterlinas
    egyptian: egipcia egipcias
    """
)
"""Which of the currencies of one name."""

CARDINALS: dict[str, int] = {
    **{word: n for n, word in enumerate(_list(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty"))},
    **{word: n for n, word in enumerate(_list(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
        "veintisiete veintiocho veintinueve"))},
    **dict(zip(_list("thirty forty fifty sixty seventy eighty ninety"), range(30, 100, 10), strict=True)),
    **dict(zip(_list("treinta cuarenta cincuenta sesenta setenta ochenta noventa"), range(30, 100, 10), strict=True)),
    **dict(zip(_list("ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
                     "novecientos"), range(100, 1000, 100), strict=True)),
    **dict(zip(_list("doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas"),
               range(200, 1000, 100), strict=True)),
    "cien": 100,
}  # fmt: skip
AMBIGUOUS_CARDINALS = _set("once one uno")
"""``once`` is eleven in Spanish and "one time" in English; ``one`` is a pronoun too: they stay words."""
MULTIPLIERS = {"hundred": 100, "thousand": 1000, "mil": 1000, "million": 10**6, "millón": 10**6, "millones": 10**6,
               "billion": 10**9}  # fmt: skip
ORDINALS: dict[str, int] = {
    w: n
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth",
        "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo",
        "primera segunda tercera cuarta quinta sexta séptima octava novena décima undécima duodécima",
    )
    for n, w in enumerate(_list(words), 1)
} | {"primer": 1, "tercer": 3, "twentieth": 20, "thirtieth": 30, "hundredth": 100}
QUANTITIES = _set(
    "once twice thrice half third quarter dozen dozens double triple single couple both few several many much hundreds "
    "thousands millions one medio media mitad doble triple docena docenas par pares ambos ambas pocos pocas muchos muchas "
    "varios varias uno tercio cuarto cuartos quarters halves thirds solo single"
)

NUMBERED = _set(
    "act scene chapter part book volume title annex appendix article section stage phase grade class type level tier category "
    "schedule table figure war series season module acto escena capítulo parte libro tomo título anexo apéndice artículo "
    "sección estadio fase grado clase tipo nivel categoría siglo tabla figura guerra serie temporada módulo"
)
"""A Roman numeral after one of these is a number."""
PORT_WORDS = _set("port ports puerto puertos :")
VERSION_WORDS = _set(
    "version versión v ver release python node java php ruby go golang ubuntu debian macos windows ios android postgres "
    "postgresql mysql kubernetes k8s django rails react angular vue"
)
YEAR_WORDS = _set("in since until by en desde hasta año year of de")

SINGULAR_VERBS = _set("is was has will can does es está usa tiene fue será va vive trabaja prefiere quiere")
FIRST_NAMES = _set(
    "alice bob tom anna ana juan maría maria carlos pedro luis josé jose marta lucía lucia pablo jorge javier elena carmen "
    "laura david daniel peter paul john mary jane james robert michael sarah emma olivia lisa mark steve kevin brian eve "
    "carol dave frank grace heidi ivan judy mallory oscar peggy trent victor walter sergio raúl raul andrés andres miguel "
    "rosa isabel teresa antonio manuel francisco jack jim joe kate lucy max mike nick sam susan karen linda"
)

ENGLISH = _set(
    "the is are was were of and to with for on in that this it be has have had not do does did will would by from at as "
    "an or we you they our your its which who when what must should can"
)
SPANISH = _set(
    "el la los las un una unos unas de del que y en es son fue por para con se su sus al lo como está están no ya hay "
    "pero más nos esta este ser o usa cuando"
)
FUNCTION_WORDS = (
    ENGLISH
    | SPANISH
    | _set(
        "a i he she him her his them their there here then than so if but into about over under up out off also just only "
        "very too been being am my me us these those some any each per via e u le les mi tu me te si porque sobre entre "
        "hacia desde hasta muy también solo sólo sido ha han había hemos he der die das und ist ein eine zu den dem für "
        "auf von mit le la les des et est une du dans pour sur à il elle on qui que o os as um uma e é em do da no na"
    )
)

PREPOSITIONS = _set(
    "above across against along among around behind below beneath beside between beyond during inside near outside through "
    "toward towards within ante bajo contra dentro durante junto mediante según tras"
)
"""Those that are no function words."""
QUESTION_WORDS = _set(
    "who what when where why how which whose whom whats hows whos wheres whens whys howve howre howd whatve whatre whatd whod "
    "whered anything anyone "
    "qué quién quiénes cuándo dónde cómo cuál cuáles cuánto cuánta cuántos cuántas"
)
"""Early in a sentence, one of these makes it a question with or without its mark."""
QUESTION_VERBS = _set(
    "does did is are was were could would should isnt arent dont doesnt didnt cant couldnt wont wouldnt havent hasnt wasnt"
)
"""At the very start, or after an interjection, one of these does."""
DOUBTFUL_QUESTION_VERBS = _set("do can will shall may have has had am")
"""These may also command ("do not restart"), or be a name: only a pronoun after them makes the question."""
SUBJECTS = _set("i you we they he she it anyone anybody someone there")
ASKED_AFTER = _set("to for at in on by with from of a de en con por para desde")
"""A preposition that may stand before a question word ("to whom", "por qué")."""
INTERJECTIONS = _set("so and but hey oh ok okay wow also well then hi yeah now btw plus")
HAILS = _set(
    "hey hi hello bye thanks thank wow whoa woah oh ah aww oof yeah yep sure gotcha yay congrats hola gracias vaya ay ciao merci danke grazie obrigado"
)
"""What opens a sentence that says nothing but hello, thanks or wow."""
GREETINGS = (
    INTERJECTIONS
    | HAILS
    | _set(
        "yes yep yup no nah sure right great cool nice awesome amazing absolutely definitely totally haha lol hmm please sorry "
        "sí bueno vale claro oye ja oui"
    )
)
"""What greets, answers or exclaims."""
CALLS = GREETINGS | _set(
    "however finally honestly actually anyway today yesterday tomorrow lately recently too you it me him them us that this "
    "here there again hoy ayer además finalmente"
)
"""After one of these a comma is only a breath."""
CLOSINGS = _set("too though please thanks right also anyway haha lol guys también gracias vale etc")
"""Before one of these, at the end of a sentence, so it is."""
RELATIVES = _set(
    "who whom whose which where when that as because if unless que quien quienes cuyo cuya cuyos cuyas donde cuando si porque "
    "qui dont où die der das welche welcher che cui который которая которое которые"
)
"""A comma before one of these tells whether the clause picks out or merely adds ("the staff, who …")."""
SUBORDINATES = _set(
    "as when while if after before although though since because once unless until whenever where "
    "si cuando mientras al como aunque tras después antes donde apenas wenn als quand lorsque quando se если когда"
)
"""Opens a clause that ends at the next comma: without it, the reader no longer sees where."""
JOINERS = _set("and or nor y e o u ni und oder et ou ed и или")
"""Soon before one of these a comma divides a list."""

SEQUENCE_OPENERS = _set(
    "first firstly second secondly third thirdly then finally lastly afterwards later meanwhile therefore thus hence "
    "otherwise else instead next after before step phase "
    "primero segundo tercero luego después entonces finalmente antes mientras sino tras paso fase"
)
"""A sentence that opens with one of these counts from the sentence before it."""
ANSWERS = _set(
    "yes no yeah yep nope ok okay sí true false same ditto likewise neither nor both former latter none never always "
    "maybe perhaps verdadero falso ambos ninguno nunca siempre quizás oui non ja nein"
)
"""A sentence that opens with one of these answers a question, if the text asks one."""

IMPERATIVES = _set(
    "run stop start restart deploy delete drop create build push pull install uninstall back backup restore migrate open "
    "close copy move remove add set unset enable disable lock unlock merge rebase commit tag check verify test wait click "
    "press select enter type go turn mount unmount attach detach mix pour heat bake cook cut write read send call update "
    "upgrade flush clear clean reboot shut kill connect disconnect export import download upload rotate revoke apply "
    "ejecuta ejecutar para parar arranca arrancar reinicia reiniciar despliega desplegar borra borrar elimina eliminar crea "
    "crear compila compilar sube subir instala instalar restaura restaurar migra migrar abre abrir cierra cerrar copia "
    "copiar mueve mover quita quitar añade añadir activa activar desactiva desactivar bloquea desbloquea comprueba "
    "comprobar verifica verificar espera esperar pulsa selecciona escribe lee envía llama actualiza actualizar limpia "
    "apaga enciende conecta desconecta exporta importa descarga aplica mezcla vierte calienta hornea corta"
)
CONNECTORS = _set(
    "but however so because also and or yet still besides moreover plus though although since this that which these those "
    "pero así porque también además y o e u aunque sin por eso esto"
)
"""A sentence that opens with one of these joins on to the one before it."""
BACKWARD = _set(
    "the|other the|others the|same the|latter the|former the|second el|otro la|otra los|otros las|otras el|mismo la|misma"
)
"""Pairs of words that count from what was named before."""
STATIVES = _set(
    "am is are was were be been being has have isnt arent wasnt werent hasnt havent im its thats theres youre were theyre ive "
    "weve can could would should may might must need needs want wants like likes love loves prefer prefers know knows think "
    "feel feels seem seems contain contains hold holds own owns cost costs weigh weighs live lives belong belongs use uses "
    "es era eran fue fueron está están estaba estaban hay había tiene tienen tenía puede pueden debe deben quiere quieren "
    "gusta gustan prefiere sabe cree parece contiene vive cuesta pesa usa usan soy eres somos tengo quiero prefiero"
)
"""Verbs of how things are, not of what happens."""
PRONOUNS = _set(
    "it he she they this that these those him her them its his their él ella ellos ellas esto eso este esta ese esa "
    "estos estas esos esas aquel aquella lo le les"
)

CASE_SENSITIVE = _set(
    "us it who aids pin may march august polish turkey china chile jordan georgia nice reading mobile apple windows word "
    "excel access outlook teams slack notion linear swift rust go java ruby dart julia crystal elixir scala python "
    "shell target amazon oracle square stripe gap meta alphabet visa discover chase bill mark will rose sue pat rob jack "
    "frank grant dean art ray gene drew bob hope joy faith grace dawn iris lily violet olive amber pearl ruby mercury mars "
    "earth signal zoom teams spark kafka hive pig flask bottle django express next nest react vue ember backbone segment "
    "rosa mercedes dolores consuelo soledad pilar luz paz esperanza victoria gloria león ángel león granada cuenca lima "
    "quito puente iglesias ram rom led cat dos pan can eta cad god sat act aim"
)
"""Words that a capital letter turns into another word: they merge across case only when the whole text was recased."""

ABBREVIATIONS = _set(
    "dr mr mrs ms prof st no vs etc e.g i.e eg ie cf fig approx dept est inc ltd jr sr sra srta dra d dª ud uds pág p.ej ej "
    "núm nº art vol ed a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun al p pp"
)
COMMANDS = _set("git cd ls cp mv docker find rsync pip npm pnpm yarn ruff pytest mypy black code chmod grep rg tar scp")

CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "i'm": ("i", "am"),
}  # fmt: skip
BARE_CONTRACTIONS = _set(
    "dont doesnt didnt isnt arent wasnt werent cant couldnt wouldnt shouldnt hasnt havent hadnt wont mustnt aint shant "
    "neednt"
)
"""Keys of the contractions in n't, with or without their apostrophe."""
UNMISTAKABLE = BARE_CONTRACTIONS | _set(
    "im ive youre youve youll youd theyre theyve theyll theyd weve thats whats heres theres hes"
)
"""Keys of contractions that are no other word without their apostrophe."""
HEADINGS = _set(
    "ranking rank priority priorities order steps step queue plan agenda todo todos list schedule route sequence timeline "
    "podium winners results stages phases history log changelog procedure recipe instructions prioridad prioridades orden "
    "pasos paso cola lista ruta secuencia calendario resultados fases historial procedimiento receta instrucciones agenda"
)
"""What stands before a colon and makes the order of what follows count; nobody is called that."""
CAPITALISED = _set("im ive ill id true false")
"""Keys of what is written with a capital anywhere and names nothing: "I'm", the ``True`` of code."""
CONTRACTION_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have"}
