"""Knows which words say the opposite of which: English and Spanish pairs, and the prefixes that turn a word over."""

from __future__ import annotations

_OPPOSITES = """
near/far old/young start/end buy/sell bought/sold sit/stand sit/lie stand/lie run/walk light/dark light/heavy
bright/dark thin/fat happy/miserable happy/depressed big/little big/tiny large/little large/tiny huge/tiny small/huge
foreground/background general/specific some/all some/every some/none short/tall even/odd deep/shallow loud/quiet
rise/fall rose/fell risen/fallen grew/shrank expand/contract support/oppose on/off enable/disable allow/deny
allow/forbid allow/block allow/refuse allow/prohibit allow/reject permit/forbid permit/prohibit permit/deny
grant/revoke grant/deny before/after increase/decrease raise/lower increase/reduce grow/shrink true/false
accept/reject accept/decline approve/reject always/never open/close start/stop begin/end first/last up/down in/out
yes/no pass/fail succeed/fail success/failure push/pull read/write input/output import/export add/remove insert/delete
create/delete create/destroy love/hate like/hate like/loathe good/bad better/worse best/worst high/low more/less
most/least max/min maximum/minimum above/below over/under inside/outside internal/external public/private local/remote
client/server send/receive source/target source/destination win/lose won/lost hot/cold warm/cool old/new fast/slow
big/small large/small long/short wide/narrow thick/thin strong/weak hard/soft hard/easy easy/difficult early/late
left/right north/south east/west front/back top/bottom online/offline attach/detach encrypt/decrypt encode/decode
commit/rollback merge/split show/hide visible/hidden ascending/descending asc/desc include/exclude required/optional
mandatory/optional manual/automatic manually/automatically static/dynamic full/empty alive/dead awake/asleep day/night
am/pm male/female man/woman men/women boy/girl father/mother husband/wife king/queen with/without from/to keep/drop
keep/delete keep/remove keep/discard retain/discard remember/forget find/lose arrive/leave enter/exit enter/leave
join/leave hire/fire lend/borrow teach/learn ask/answer follow/lead rich/poor clean/dirty dry/wet happy/sad
present/absent presence/absence major/minor primary/secondary primary/replica master/slave master/replica parent/child
ancestor/descendant next/previous forward/backward since/until cheap/expensive simple/complex positive/negative
right/wrong safe/dangerous blacklist/whitelist allowlist/denylist allowlist/blocklist opt-in/opt-out gain/loss
profit/loss debit/credit supported/deprecated current/obsolete keep/stop keep/quit manage/fail says/denies said/denied
say/deny claim/deny confirm/deny admit/deny affirm/deny accept/refuse agree/refuse admit/reject dismiss/grant
fewer/more benign/malignant acute/chronic advance/arrears plaintiff/defendant prosecution/defence lessor/lessee
landlord/tenant employer/employee licensor/licensee creditor/debtor vendor/purchaser loud/soft improve/worsen
improve/deteriorate next/last ceiling/floor ==/!= </> <=/>= <>/= &&/|| alone/together everything/nothing
everyone/nobody all/none cerca/lejos viejo/joven sentado/levantado claro/oscuro ligero/pesado grueso/delgado
feliz/triste algunos/todos par/impar profundo/superficial gusta/odia gustan/odia aumentó/disminuyó aumentó/redujo
aumentan/disminuyen aumentaron/disminuyeron ganó/perdió ganan/pierden abren/cierran empieza/termina encender/apagar
encendido/apagado permitir/prohibir permite/prohíbe permitir/denegar permite/deniega permitir/bloquear
conceder/revocar antes/después aumentar/disminuir aumentar/reducir aumenta/disminuye sube/baja subir/bajar subió/bajó
verdadero/falso cierto/falso aceptar/rechazar aprobar/rechazar aprobado/suspenso siempre/nunca siempre/jamás
abrir/cerrar abre/cierra abierto/cerrado empezar/terminar iniciar/detener inicia/detiene arrancar/parar arranca/para
primero/último arriba/abajo dentro/fuera entrar/salir entra/sale sí/no éxito/fracaso leer/escribir lectura/escritura
importar/exportar añadir/quitar agregar/eliminar crear/borrar crear/eliminar crea/borra amar/odiar encanta/odio
encanta/disgusta bueno/malo buena/mala mejor/peor alto/bajo alta/baja más/menos máximo/mínimo sobre/bajo encima/debajo
interno/externo público/privado local/remoto cliente/servidor enviar/recibir envía/recibe origen/destino
comprar/vender ganar/perder gana/pierde caliente/frío viejo/nuevo antiguo/nuevo rápido/lento grande/pequeño
largo/corto fuerte/débil duro/blando fácil/difícil temprano/tarde izquierda/derecha norte/sur este/oeste
mostrar/ocultar muestra/oculta visible/oculto incluir/excluir incluye/excluye obligatorio/opcional manual/automático
lleno/vacío vivo/muerto día/noche hombre/mujer niño/niña con/sin desde/hasta conservar/borrar recordar/olvidar
encontrar/perder llegar/salir rico/pobre limpio/sucio presente/ausente mayor/menor primario/secundario
siguiente/anterior barato/caro simple/complejo positivo/negativo todo/nada todos/ninguno todos/nadie
ascendente/descendente contratar/despedir demandante/demandado querellante/querellado denunciante/denunciado
apelante/apelado arrendador/arrendatario prestamista/prestatario acreedor/deudor empleador/empleado comprador/vendedor
remitente/destinatario emisor/receptor admitir/rechazar admitir/denegar conceder/denegar autorizar/prohibir
autoriza/prohíbe afirmar/negar afirma/niega afirmó/negó dice/niega dijo/negó asegura/niega aseguró/negó admite/niega
admitió/negó confirma/desmiente confirmar/desmentir encanta/repugna empeorar/mejorar benigno/maligno agudo/crónico
anticipado/atrasado próximo/pasado seguir/dejar sigue/deja siguió/dejó volver/dejar vuelto/dejado volvió/dejó
vuelve/deja empezó/dejó techo/suelo demasiado/poco ruidoso/silencioso
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
    *(("", prefix) for prefix in "un in im ir il dis non de des a anti mis mal under over".split()),
    *(
        ("hyper", "hypo"), ("hiper", "hipo"), ("over", "under"), ("sobre", "infra"), ("up", "down"), ("pre", "post"),
        ("inter", "intra"), ("macro", "micro"),
    ),
)  # fmt: skip
"""What two words may begin with to be opposites: nothing and "un", "hyper" and "hypo"."""
