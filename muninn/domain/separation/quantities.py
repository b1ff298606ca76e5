"""Knows the words by which a text counts and dates: calendar and clock, units, money, numbers, what is numbered.

English and Spanish in full. Entries are lower case with their accents, but for symbols and codes. A list here makes the guard
name a slot better or refuse more; a form stands for what it is listed under.
"""

from __future__ import annotations

from muninn.domain.separation.wordtables import by_first_word, forms, word_list, word_set

WEEKDAYS = forms(
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
MONTHS = forms(
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
DOUBTFUL_CALENDAR = word_set("may march mar mon sun sat wed second")
"""Calendar words that are ordinary words too: they need a capital letter or a day beside them."""

RELATIVE_DAYS = word_set(
    "today yesterday tomorrow tonight hoy ayer mañana anteayer anoche daily weekly monthly yearly hourly quarterly "
    "annually nightly anteanoche diario diaria diariamente semanal semanalmente mensual mensualmente anual anualmente trimestral"
)
DAY_PHRASES = by_first_word("day after tomorrow|day before yesterday|pasado mañana|antes de ayer")
MINUTES_BEFORE_HOUR = by_first_word("quarter past|quarter to|quarter after|half past")
MINUTES_AFTER_HOUR = by_first_word("y media|y cuarto|menos cuarto")
"""The minutes of a time in words, where an hour stands beside them."""
TIME_ZONES = word_set(
    "UTC GMT CET CEST EET EEST WET BST EST EDT CST CDT MST MDT PST PDT AKST HST MSK IST JST KST AEST AEDT ACST AWST NZST NZDT"
)
TIMES_OF_DAY = word_set(
    "morning mornings afternoon afternoons evening evenings night nights noon midday midnight dawn dusk "
    "mañana mañanas tarde tardes noche noches mediodía medianoche madrugada"
)
SPANS = word_set(
    "week weekend month quarter year night spring summer autumn fall winter last next past coming previous ago hace dentro "
    "semana mes trimestre año verano otoño invierno primavera pasado pasada próximo próxima"
)
"""What says when, counted from today ("last week", "hace dos semanas"): two of them exchanged are another date."""

UNITS = forms(
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

CURRENCIES = forms(
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
CURRENCY_CODES = word_set(
    "CAD AUD NZD HKD SGD CNY BRL ARS CLP COP PEN UYU BOB CRC DOP SEK NOK DKK ISK PLN CZK HUF RON BGN UAH RUB ZAR KRW ILS AED SAR "
    "THB IDR MYR VND TWD"
)
"""Beside an amount, and in capitals: some are words too."""
NATIONALITIES = forms(
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
    **{word: n for n, word in enumerate(word_list(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty"))},
    **{word: n for n, word in enumerate(word_list(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
        "veintisiete veintiocho veintinueve"))},
    **dict(zip(word_list("thirty forty fifty sixty seventy eighty ninety"), range(30, 100, 10), strict=True)),
    **dict(zip(word_list("treinta cuarenta cincuenta sesenta setenta ochenta noventa"), range(30, 100, 10), strict=True)),
    **dict(zip(word_list("ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
                     "novecientos"), range(100, 1000, 100), strict=True)),
    **dict(zip(word_list("doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas"),
               range(200, 1000, 100), strict=True)),
    "cien": 100,
}  # fmt: skip
AMBIGUOUS_CARDINALS = word_set("once one uno")
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
    for n, w in enumerate(word_list(words), 1)
} | {"primer": 1, "tercer": 3, "twentieth": 20, "thirtieth": 30, "hundredth": 100}
QUANTITIES = word_set(
    "once twice thrice half third quarter dozen dozens double triple single couple both few several many much hundreds "
    "thousands millions one medio media mitad doble triple docena docenas par pares ambos ambas pocos pocas muchos muchas "
    "varios varias uno tercio cuarto cuartos quarters halves thirds solo single"
)

NUMBERED = word_set(
    "act scene chapter part book volume title annex appendix article section stage phase grade class type level tier category "
    "schedule table figure war series season module acto escena capítulo parte libro tomo título anexo apéndice artículo "
    "sección estadio fase grado clase tipo nivel categoría siglo tabla figura guerra serie temporada módulo"
)
"""A Roman numeral after one of these is a number."""
PORT_WORDS = word_set("port ports puerto puertos :")
VERSION_WORDS = word_set(
    "version versión v ver release python node java php ruby go golang ubuntu debian macos windows ios android postgres "
    "postgresql mysql kubernetes k8s django rails react angular vue"
)
YEAR_WORDS = word_set("in since until by en desde hasta año year of de")
