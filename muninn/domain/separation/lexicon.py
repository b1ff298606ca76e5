"""Knows the closed word lists of the separation guard: English and Spanish in full, a few others to stay harmless.

Every entry is lower case with its accents. A list may only make the guard name a slot better or refuse more; no word
here ever makes two texts equal, except the harmless articles and contractions at the end, each with its reason.
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


NEGATIONS = _set(
    "not no never without none nobody nothing neither nor nowhere cannot non except unless hardly barely "
    "nunca jamás sin ningún ninguno ninguna ningunos ningunas nadie nada tampoco ni excepto salvo "
    "nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune ne rien não nenhum nenhuma "
    "sem mai senza nessun nessuno nessuna не нет ни без никогда لا لم لن ليس بدون غير "
    "不 没 沒 無 无 未 非 别 別 勿 ません ない"
)
"""Words that turn a statement over. Contractions in n't are BARE_CONTRACTIONS."""

FORWARD_NEGATIONS = _set("no not never nunca jamás nicht nein non não nao nee niet не нет لا 不 没 別 别")
"""Negations that take hold of what follows unless punctuation stands between."""

REMINDERS = _set("forget hesitate olvides olvidar olvide olvidéis dudes")
"""After a negation these cancel it: "do not forget to X" asks for X."""

_OPPOSITES = """
near/far old/young start/end buy/sell bought/sold sit/stand sit/lie stand/lie walk/run run/walk light/dark light/heavy
bright/dark thin/thick thin/fat happy/miserable happy/depressed big/little big/tiny large/little large/tiny huge/tiny
small/huge foreground/background general/specific some/all some/every some/none short/tall even/odd deep/shallow
loud/quiet asleep/awake rise/fall rose/fell risen/fallen grew/shrank expand/contract agree/disagree support/oppose
on/off enable/disable enabled/disabled enables/disables allow/deny allow/forbid allow/block allow/refuse allow/prohibit
allow/reject permit/forbid permit/prohibit permit/deny grant/revoke grant/deny before/after increase/decrease raise/lower
increase/reduce grow/shrink true/false accept/reject accept/decline approve/reject always/never open/close opened/closed
open/closed start/stop begin/end first/last up/down in/out yes/no pass/fail succeed/fail success/failure push/pull
read/write input/output import/export upload/download add/remove insert/delete create/delete create/destroy install/uninstall
love/hate like/dislike like/hate like/loathe good/bad better/worse best/worst high/low higher/lower more/less most/least
max/min maximum/minimum above/below over/under inside/outside internal/external public/private local/remote
client/server send/receive sender/receiver source/target source/destination buy/sell win/lose won/lost hot/cold warm/cool
old/new older/newer fast/slow faster/slower big/small large/small long/short wide/narrow thick/thin strong/weak hard/soft
hard/easy easy/difficult early/late earlier/later left/right north/south east/west front/back top/bottom online/offline
sync/async synchronous/asynchronous lock/unlock locked/unlocked mount/unmount attach/detach connect/disconnect
encrypt/decrypt encode/decode compress/decompress upgrade/downgrade commit/rollback merge/split show/hide visible/hidden
ascending/descending asc/desc include/exclude includes/excludes active/inactive valid/invalid safe/unsafe
stable/unstable required/optional mandatory/optional manual/automatic manually/automatically static/dynamic full/empty
alive/dead awake/asleep day/night am/pm male/female man/woman men/women boy/girl father/mother husband/wife king/queen
with/without to/from from/to keep/drop keep/delete keep/remove keep/discard retain/discard remember/forget
find/lose arrive/leave enter/exit enter/leave join/leave hire/fire lend/borrow teach/learn ask/answer follow/lead
rich/poor clean/dirty dry/wet happy/sad present/absent presence/absence major/minor primary/secondary primary/replica
master/slave master/replica parent/child ancestor/descendant next/previous forward/backward forwards/backwards since/until
cheap/expensive simple/complex positive/negative correct/incorrect right/wrong safe/dangerous possible/impossible
blacklist/whitelist allowlist/denylist allowlist/blocklist opt-in/opt-out gain/loss profit/loss debit/credit
supported/deprecated current/obsolete alone/together everything/nothing everyone/nobody all/none some/none
cerca/lejos viejo/joven vieja/joven sentado/levantado claro/oscuro ligero/pesado grueso/delgado feliz/triste
algunos/todos par/impar profundo/superficial gusta/odia gustan/odia aumentó/disminuyó aumentó/redujo aumentan/disminuyen
aumentaron/disminuyeron crece/decrece suben/bajan subieron/bajaron ganó/perdió ganaron/perdieron ganan/pierden
abren/cierran abrió/cerró abrieron/cerraron empieza/termina empezó/terminó entró/salió llegó/salió aceptó/rechazó
aceptan/rechazan aceptaron/rechazaron compró/vendió enviaron/recibieron envió/recibió
encender/apagar encendido/apagado encendida/apagada activar/desactivar activo/inactivo activa/inactiva
habilitar/deshabilitar habilitado/deshabilitado permitir/prohibir permitido/prohibido permitida/prohibida permite/prohíbe
permitir/denegar permite/deniega permitir/bloquear permite/bloquea conceder/revocar antes/después aumentar/disminuir
aumentar/reducir aumenta/disminuye aumenta/reduce sube/baja subir/bajar subió/bajó verdadero/falso cierto/falso
aceptar/rechazar acepta/rechaza aceptado/rechazado aceptada/rechazada aprobar/rechazar aprobado/rechazado
aprobado/suspenso siempre/nunca siempre/jamás abrir/cerrar abre/cierra abierto/cerrado abierta/cerrada empezar/terminar
iniciar/detener inicia/detiene arrancar/parar arranca/para primero/último primera/última arriba/abajo dentro/fuera
entrada/salida entrar/salir entra/sale sí/no éxito/fracaso leer/escribir lectura/escritura importar/exportar importa/exporta
añadir/quitar añade/quita agregar/eliminar crear/borrar crear/eliminar crea/borra instalar/desinstalar amar/odiar
encanta/odio encanta/disgusta gusta/disgusta bueno/malo buena/mala mejor/peor alto/bajo alta/baja más/menos máximo/mínimo
máxima/mínima sobre/bajo encima/debajo interno/externo interna/externa público/privado pública/privada local/remoto
local/remota cliente/servidor enviar/recibir envía/recibe origen/destino comprar/vender compra/vende ganar/perder
gana/pierde caliente/frío viejo/nuevo vieja/nueva antiguo/nuevo antigua/nueva rápido/lento rápida/lenta grande/pequeño
grande/pequeña largo/corto larga/corta fuerte/débil duro/blando fácil/difícil temprano/tarde izquierda/derecha norte/sur
este/oeste síncrono/asíncrono bloquear/desbloquear conectar/desconectar cifrar/descifrar mostrar/ocultar muestra/oculta
visible/oculto incluir/excluir incluye/excluye válido/inválido seguro/inseguro estable/inestable obligatorio/opcional
obligatoria/opcional manual/automático lleno/vacío llena/vacía vivo/muerto día/noche hombre/mujer niño/niña con/sin
desde/hasta conservar/borrar conserva/borra recordar/olvidar encontrar/perder llegar/salir rico/pobre limpio/sucio
presente/ausente mayor/menor primario/secundario siguiente/anterior barato/caro simple/complejo positivo/negativo
correcto/incorrecto todo/nada todos/ninguno todos/nadie ascendente/descendente contratar/despedir
"""


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split():
        left, right = pair.split("/")
        table.setdefault(left, set()).add(right)
        table.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in table.items()}


OPPOSITES = _opposites()
OPPOSING_PREFIXES = (
    "un",
    "in",
    "im",
    "ir",
    "il",
    "dis",
    "non",
    "de",
    "des",
    "a",
    "anti",
    "mis",
    "mal",
    "under",
    "over",
)

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
    "annually nightly diario diaria diariamente semanal semanalmente mensual mensualmente anual anualmente trimestral"
)

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
    kbps:
    Mbps:
    Gbps:
    mm: millimetre millimetres millimeter millimeters milímetro milímetros
    cm: centimetre centimetres centimeter centimeters centímetro centímetros
    m: metre metres meter meters metro metros
    km: kilometre kilometres kilometer kilometers kilómetro kilómetros
    mi: mile miles milla millas
    in: inch inches pulgada pulgadas
    ft: foot feet pie pies
    mg: milligram milligrams miligramo miligramos
    g: gram grams gramo gramos
    kg: kilo kilos kilogram kilograms kilogramo kilogramos
    t: ton tons tonne tonnes tonelada toneladas
    lb: lbs
    oz: ounce ounces
    ml: mL millilitre millilitres mililitro mililitros
    l: L litre litres liter liters litro litros
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
    cent: cents céntimo céntimos centavo centavos
    BTC: btc bitcoin bitcoins
    """
)
"""``$`` stands for several currencies, so it is not USD."""

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

QUESTION_WORDS = _set(
    "who what when where why how which whose whom whats hows whos wheres anything anyone "
    "qué quién quiénes cuándo dónde cómo cuál cuáles cuánto cuánta cuántos cuántas"
)
"""Early in a sentence, one of these makes it a question with or without its mark."""
QUESTION_VERBS = _set(
    "do does did is are was were can could will would should shall may have has had am any ever isnt arent dont doesnt didnt "
    "cant couldnt wont wouldnt havent hasnt wasnt"
)
"""At the very start, or after an interjection, one of these does."""
INTERJECTIONS = _set("so and but hey oh ok okay wow also well then hi yeah now btw")

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

ENGLISH_ARTICLES = frozenset(("the",))
SPANISH_ARTICLES = _set("el la los las")
KEEPS_ARTICLE = _set("que de del cual cuales few little same last first only other others rest one ones more most")
"""After an article these change meaning ("the few", "la de Ana", "the first"), so the article stays."""

CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "i'm": ("i", "am"), "let's": ("let", "us"),
}  # fmt: skip
BARE_CONTRACTIONS = _set(
    "dont doesnt didnt isnt arent wasnt werent cant couldnt wouldnt shouldnt hasnt havent hadnt wont mustnt aint shant "
    "neednt"
)
"""Keys of the contractions in n't, with or without their apostrophe."""
HEADINGS = _set(
    "ranking rank priority priorities order steps step queue plan agenda todo todos list schedule route sequence timeline "
    "podium winners results stages phases history log changelog procedure recipe instructions prioridad prioridades orden "
    "pasos paso cola lista ruta secuencia calendario resultados fases historial procedimiento receta instrucciones agenda"
)
"""What stands before a colon and makes the order of what follows count; nobody is called that."""
I_CONTRACTIONS = _set("im ive ill id")
"""Keys of what is written with a capital anywhere and names nothing."""
CONTRACTION_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have"}
