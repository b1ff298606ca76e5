"""Knows which words say the opposite of which: English and Spanish pairs, and the prefixes that turn a word over."""

from __future__ import annotations

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
