"""Knows the closed word lists of the separation guard: English and Spanish in full, a few others to stay harmless.

Every entry is lower case with its accents. A list may only make the guard name a slot better or refuse more; no word
here ever makes two texts equal, except the contractions at the end and what lets a comma or a greeting go.
"""

from __future__ import annotations

from muninn.domain.separation.wordtables import word_set

NEGATIONS = word_set(
    "not no never without none nobody nothing neither nor nowhere cannot non except unless hardly barely "
    "scarcely nunca jamás apenas sin ningún ninguno ninguna ningunos ningunas nadie nada tampoco ni excepto salvo "
    "nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune ne rien não nenhum nenhuma "
    "sem geen niet nooit zonder mai senza nessun nessuno nessuna не нет ни без никогда لا لم لن ليس بدون غير "
    "不 没 沒 無 无 未 非 别 別 勿 안 못 नहीं मत"
)
"""Words that turn a statement over. Contractions in n't are BARE_CONTRACTIONS."""

QUITTING = word_set("deja dejan dejó dejaron dejado dejar dejé dejo dejamos dejaba dejará dejando")
"""Before "de" these deny what follows."""

FORWARD_NEGATIONS = word_set("no not never nunca jamás nicht nein non não nao nee niet не нет لا 不 没 別 别")
"""Negations that take hold of what follows unless punctuation stands between."""

REMINDERS = word_set("forget hesitate olvides olvidar olvide olvidéis dudes")
"""After a negation these cancel it: "do not forget to X" asks for X."""

SINGULAR_VERBS = word_set("is was has will can does es está usa tiene fue será va vive trabaja prefiere quiere")
FIRST_NAMES = word_set(
    "alice bob tom anna ana juan maría maria carlos pedro luis josé jose marta lucía lucia pablo jorge javier elena carmen "
    "laura david daniel peter paul john mary jane james robert michael sarah emma olivia lisa mark steve kevin brian eve "
    "carol dave frank grace heidi ivan judy mallory oscar peggy trent victor walter sergio raúl raul andrés andres miguel "
    "rosa isabel teresa antonio manuel francisco jack jim joe kate lucy max mike nick sam susan karen linda"
)

ENGLISH = word_set(
    "the is are was were of and to with for on in that this it be has have had not do does did will would by from at as "
    "an or we you they our your its which who when what must should can"
)
SPANISH = word_set(
    "el la los las un una unos unas de del que y en es son fue por para con se su sus al lo como está están no ya hay "
    "pero más nos esta este ser o usa cuando"
)
FUNCTION_WORDS = (
    ENGLISH
    | SPANISH
    | word_set(
        "a i he she him her his them their there here then than so if but into about over under up out off also just only "
        "very too been being am my me us these those some any each per via e u le les mi tu me te si porque sobre entre "
        "hacia desde hasta muy también solo sólo sido ha han había hemos he der die das und ist ein eine zu den dem für "
        "auf von mit le la les des et est une du dans pour sur à il elle on qui que o os as um uma e é em do da no na"
    )
)

PREPOSITIONS = word_set(
    "above across against along among around behind below beneath beside between beyond during inside near outside through "
    "toward towards within ante bajo contra dentro durante junto mediante según tras"
)
"""Those that are no function words."""
QUESTION_WORDS = word_set(
    "who what when where why how which whose whom whats hows whos wheres whens whys howve howre howd whatve whatre whatd whod "
    "whered anything anyone "
    "qué quién quiénes cuándo dónde cómo cuál cuáles cuánto cuánta cuántos cuántas"
)
"""Early in a sentence, one of these makes it a question with or without its mark."""
QUESTION_VERBS = word_set(
    "does did is are was were could would should isnt arent dont doesnt didnt cant couldnt wont wouldnt havent hasnt wasnt"
)
"""At the very start, or after an interjection, one of these does."""
DOUBTFUL_QUESTION_VERBS = word_set("do can will shall may have has had am")
"""These may also command ("do not restart"), or be a name: only a pronoun after them makes the question."""
SUBJECTS = word_set("i you we they he she it anyone anybody someone there")
ASKED_AFTER = word_set("to for at in on by with from of a de en con por para desde")
"""A preposition that may stand before a question word ("to whom", "por qué")."""
INTERJECTIONS = word_set("so and but hey oh ok okay wow also well then hi yeah now btw plus")
HAILS = word_set(
    "hey hi hello bye thanks thank wow whoa woah oh ah aww oof yeah yep sure gotcha yay congrats hola gracias vaya ay ciao merci danke grazie obrigado"
)
"""What opens a sentence that says nothing but hello, thanks or wow."""
GREETINGS = (
    INTERJECTIONS
    | HAILS
    | word_set(
        "yes yep yup no nah sure right great cool nice awesome amazing absolutely definitely totally haha lol hmm please sorry "
        "sí bueno vale claro oye ja oui"
    )
)
"""What greets, answers or exclaims."""
CALLS = GREETINGS | word_set(
    "however finally honestly actually anyway today yesterday tomorrow lately recently too you it me him them us that this "
    "here there again hoy ayer además finalmente"
)
"""After one of these a comma is only a breath."""
CLOSINGS = word_set("too though please thanks right also anyway haha lol guys también gracias vale etc")
"""Before one of these, at the end of a sentence, so it is."""
RELATIVES = word_set(
    "who whom whose which where when that as because if unless que quien quienes cuyo cuya cuyos cuyas donde cuando si porque "
    "qui dont où die der das welche welcher che cui который которая которое которые"
)
"""A comma before one of these tells whether the clause picks out or merely adds ("the staff, who …")."""
SUBORDINATES = word_set(
    "as when while if after before although though since because once unless until whenever where "
    "si cuando mientras al como aunque tras después antes donde apenas wenn als quand lorsque quando se если когда"
)
"""Opens a clause that ends at the next comma: without it, the reader no longer sees where."""
JOINERS = word_set("and or nor y e o u ni und oder et ou ed и или")
"""Soon before one of these a comma divides a list."""

SEQUENCE_OPENERS = word_set(
    "first firstly second secondly third thirdly then finally lastly afterwards later meanwhile therefore thus hence "
    "otherwise else instead next after before step phase "
    "primero segundo tercero luego después entonces finalmente antes mientras sino tras paso fase"
)
"""A sentence that opens with one of these counts from the sentence before it."""
ANSWERS = word_set(
    "yes no yeah yep nope ok okay sí true false same ditto likewise neither nor both former latter none never always "
    "maybe perhaps verdadero falso ambos ninguno nunca siempre quizás oui non ja nein"
)
"""A sentence that opens with one of these answers a question, if the text asks one."""

IMPERATIVES = word_set(
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
CONNECTORS = word_set(
    "but however so because also and or yet still besides moreover plus though although since this that which these those "
    "pero así porque también además y o e u aunque sin por eso esto"
)
"""A sentence that opens with one of these joins on to the one before it."""
BACKWARD = word_set(
    "the|other the|others the|same the|latter the|former the|second el|otro la|otra los|otros las|otras el|mismo la|misma"
)
"""Pairs of words that count from what was named before."""
STATIVES = word_set(
    "am is are was were be been being has have isnt arent wasnt werent hasnt havent im its thats theres youre were theyre ive "
    "weve can could would should may might must need needs want wants like likes love loves prefer prefers know knows think "
    "feel feels seem seems contain contains hold holds own owns cost costs weigh weighs live lives belong belongs use uses "
    "es era eran fue fueron está están estaba estaban hay había tiene tienen tenía puede pueden debe deben quiere quieren "
    "gusta gustan prefiere sabe cree parece contiene vive cuesta pesa usa usan soy eres somos tengo quiero prefiero"
)
"""Verbs of how things are, not of what happens."""
PRONOUNS = word_set(
    "it he she they this that these those him her them its his their él ella ellos ellas esto eso este esta ese esa "
    "estos estas esos esas aquel aquella lo le les"
)

CASE_SENSITIVE = word_set(
    "us it who aids pin may march august polish turkey china chile jordan georgia nice reading mobile apple windows word "
    "excel access outlook teams slack notion linear swift rust go java ruby dart julia crystal elixir scala python "
    "shell target amazon oracle square stripe gap meta alphabet visa discover chase bill mark will rose sue pat rob jack "
    "frank grant dean art ray gene drew bob hope joy faith grace dawn iris lily violet olive amber pearl ruby mercury mars "
    "earth signal zoom teams spark kafka hive pig flask bottle django express next nest react vue ember backbone segment "
    "rosa mercedes dolores consuelo soledad pilar luz paz esperanza victoria gloria león ángel león granada cuenca lima "
    "quito puente iglesias ram rom led cat dos pan can eta cad god sat act aim"
)
"""Words that a capital letter turns into another word: they merge across case only when the whole text was recased."""

ABBREVIATIONS = word_set(
    "dr mr mrs ms prof st no vs etc e.g i.e eg ie cf fig approx dept est inc ltd jr sr sra srta dra d dª ud uds pág p.ej ej "
    "núm nº art vol ed a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun al p pp"
)
COMMANDS = word_set(
    "git cd ls cp mv docker find rsync pip npm pnpm yarn ruff pytest mypy black code chmod grep rg tar scp"
)

CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "i'm": ("i", "am"),
}  # fmt: skip
BARE_CONTRACTIONS = word_set(
    "dont doesnt didnt isnt arent wasnt werent cant couldnt wouldnt shouldnt hasnt havent hadnt wont mustnt aint shant "
    "neednt"
)
"""Keys of the contractions in n't, with or without their apostrophe."""
UNMISTAKABLE = BARE_CONTRACTIONS | word_set(
    "im ive youre youve youll youd theyre theyve theyll theyd weve thats whats heres theres hes"
)
"""Keys of contractions that are no other word without their apostrophe."""
HEADINGS = word_set(
    "ranking rank priority priorities order steps step queue plan agenda todo todos list schedule route sequence timeline "
    "podium winners results stages phases history log changelog procedure recipe instructions prioridad prioridades orden "
    "pasos paso cola lista ruta secuencia calendario resultados fases historial procedimiento receta instrucciones agenda"
)
"""What stands before a colon and makes the order of what follows count; nobody is called that."""
CAPITALISED = word_set("im ive ill id true false")
"""Keys of what is written with a capital anywhere and names nothing: "I'm", the ``True`` of code."""
CONTRACTION_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have"}
