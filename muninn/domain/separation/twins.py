"""Knows ordinary words that are one slip of the finger apart: neither is ever a misspelling of the other.

Stems stand for their inflections, since the same ending is often attached to both (``misspelling`` strips it).
"""

from __future__ import annotations

_ENGLISH = """
adverse/averse band/brand bind/blind boarder/border bond/bound cach/cash cach/catch cach/coach carrier/courier cart/chart
cash/crash casual/causal cause/clause climactic/climatic clock/cock coast/cost concert/convert
contact/contract contest/context content/context contest/content contract/contrast cop/copy country/county course/curse
crate/create creation/cremation decease/decrease decent/descent defect/detect delete/deplete desert/dessert device/devise
discreet/discrete edit/exit encode/encore endure/ensure excit/exit exist/exit faction/fraction fail/fall farther/father
fiction/friction fiend/friend fight/flight final/finale fork/form freight/fright general/genera giant/grant grace/grade
grape/graph heap/help hoist/host human/humane immoral/immortal ingest/invest insect/inspect launch/lunch lawyer/layer
lead/lend lead/leav lead/leak lead/lean lean/learn lightening/lightning lik/link lin/link lock/look manager/manger
march/match marital/martial medial/medical meet/melt mental/metal minister/minster money/monkey month/mouth moral/mortal
morning/mourning naive/native ordinance/ordnance painter/printer palace/place parent/patent part/party pass/paus
patent/patient pay/play pay/pray peasant/pleasant perfect/prefect phas/phras pint/point pint/print plac/play plan/plant
plan/plane plane/planet planet/plant point/print paint/print paint/point poll/pool pond/pound portion/potion posit/post
price/pride price/prince prin/pric probe/prove protect/protest rais/ris rais/aris random/ransom react/redact react/reach
reader/render recent/resent repay/reply repeat/repent resent/reset restrain/retrain reveal/revel revere/reverse
sacred/scared scal/seal seal/steal search/starch seed/send seed/speed send/spend send/sens sender/slender shad/shar
shak/shar shar/star shell/smell shift/shirt short/sort shoot/short shop/stop sign/sing silver/sliver simulat/stimulat
sit/suit solder/soldier stag/stat stag/stay stat/stay star/start star/stat star/stay start/stat stand/strand
state/statue statue/statute stature/statute statue/status steam/stream scream/stream sting/string spring/string
star/string tail/trail tak/talk team/term tend/trend test/text thorough/through though/through thrash/trash thread/tread
threat/treat thrust/trust trac/trad trac/track trail/trial transit/transmit travel/trave tread/trend tun/turn unite/untie
valu/valv visit/vist wait/writ wait/want wait/wast want/wast wash/wast wak/walk walk/wall war/wear warm/warn weigh/weight
widow/window wing/wring wood/word bought/brought brother/bother stores/stories saving/saying saying/staying seeing/seeking
riding/rising horses/houses series/serves precious/previous buried/burned found/fund revenge/revenue action/auction
copper/cooper employees/employers counties/countries bear/beat heat/hear head/heat garage/garbage produces/products
beings/brings addiction/addition addition/audition closest/closet easier/easter generic/genetic eternal/external
hunger/hunter starring/starting poison/prison cook/cool filing/failing filing/filming filing/firing remainder/reminder
hardest/harvest div/driv nothing/noting beat/bet sell/spell denial/dental rider/river sail/smil shar/shark apples/applies
cannon/canyon cannon/canon coral/corral mak/mark speed/spend store/storm nuclear/unclear bak/bank senior/sensor table/tablet
hungary/hungry angel/angle seat/stat seat/set promoted/prompted processor/professor grad/grav morality/mortality
hat/heat divided/dividend check/cheek relied/replied relies/replies election/electron inferior/interior displaced/displayed
explod/explor analyses/analysts feather/father sing/swing depth/death flood/floor material/maternal shor/stor strip/stripe
neural/neutral boil/bowl identifies/identities ceas/chas thirsty/thirty regain/retain ruining/running marker/market
maker/marker caption/caution defeat/defect pos/post backward/backyard coat/cost tap/trap continent/contingent
deprived/derived tractor/traitor finish/finnish endur/ensur pleaded/pleased skip/slip changing/chanting shak/snak
salvage/savage slice/slide charger/charter sack/stack faculty/faulty shav/sav widely/wisely sorting/sporting
elections/electrons brush/bush farm/fram haunt/hunt altitude/latitude procession/profession taping/tapping chose/choose
censor/sensor council/counsel compil/compl commut/comput conserv/convers deploy/deplore deprecat/depreciat
expand/expend expert/export insert/invert invent/invest merg/emerg mitigat/migrat mod/model module/modulo packet/pocket
parser/passer pars/pass pars/paus profile/profit prun/prud purg/purs queue/que quot/quit rebas/rebat region/religion
remot/remov report/resort retail/retain revers/reserv rout/root schedul/schema scop/scor scor/stor script/strict
serv/sever server/sever servers/severs session/cession settl/settler spac/spar stabl/stapl stack/stalk stor/ston
sever/server submit/summit thing/think token/taken trigger/tigger trip/strip valid/vapid version/aversion
wir/writ wonder/wander world/would worm/work write/waiter latter/later letter/latter personal/personnel
advis/advic assum/assur commend/comment complain/complaint decid/derid defin/refin defus/diffus deriv/drive
devid/divid dispers/disburs elud/allud emigrat/immigrat envelop/envelope exercis/exorcis exalt/exult explicit/implicit
formal/format formally/formerly gather/father ingenious/ingenuous interpolat/interpellat intense/intents interim/interior
loath/loathe persecut/prosecut populace/populous preced/proced premis/promis principal/principle prophecy/prophesy
reassur/measur rational/national refer/prefer relay/relax relevant/reverent repel/rebel restor/resort retrac/retract
signal/single stationary/stationery tortuous/torturous venal/venial vocation/vacation advice/advise planes/plants compet/complet shopping/stopping staring/string beating/betting
"""
_SPANISH = """
banco/blanco banco/barco banco/bando caliente/cliente cans/cas cans/caus cas/caus cas/caz carga/carta cargo/carro
carga/caga carrera/carreta carrera/cartera carpeta/carreta cartel/cuartel ciudad/cuidad compar/compr conejo/consejo
concejo/consejo concejo/conejo consulta/consula consulad/consultad contar/contra contad/cortad contad/costad
corre/correo cuarto/cuatro desecho/deshecho editar/evitar estado/estrado estadio/estado estaba/estafa factura/fractura
fecha/flecha frente/fuente fuente/fuerte fuente/puente grabar/gravar guarda/guardia lleg/llev lleg/llen llen/llev
opción/poción pag/par pag/pas par/pas pas/paus partid/parid pedid/perdid pedimos/perdimos pens/pes perjuicio/prejuicio
pesc/pec pes/pec pes/pesc planta/plata plan/plant plante/plane planta/planea planeta/plantea prenda/prensa
respecto/respeto respecta/respeta retraso/retrato riego/riesgo sobra/sombra valor/vapor venc/vend vencid/venid
vendid/venid vencedor/vendedor ventaja/ventana visit/vist revis/revist piensa/prensa mejores/menores domingo/dominio
domingos/dominios seguid/segund inferior/interior actores/autores jueces/jueves alcanza/alianza infierno/invierno
pud/pus senado/sentado medias/medidas previo/precio precio/preciso precio/predio predio/previo espada/espalda
reacción/redacción legad/llegad paisaje/pasaje jug/juzg jug/jur precioso/preciso tradición/traición playas/plazas
tejid/tenid convenio/convento acus/caus alguna/laguna fantasma/fantasía aliento/alimento caridad/claridad
perdona/persona marc/march tiend/tien tienes/trenes presta/puesta etern/extern desierto/despierto protección/proyección
exploración/explotación explor/explot piedra/pierda vienes/viernes escal/escap entreg/entren suelo/sueño sueldo/suelo
delegado/delgado enterado/entrado enterrado/enterado fueras/fuerzas noreste/noroeste sureste/suroeste sudeste/sureste
concesión/confesión materia/materna impulso/impuso quiebra/quiera parada/patada despacho/despacio carec/crec
gramo/grano inclu/influ interino/interno interino/intervino infección/inyección tráfico/trágico elefante/elegante
ciclo/cielo indicios/inicios procesión/profesión precisión/previsión mediación/medición mediación/meditación
libera/ligera casilla/castilla sanidad/santidad estatua/estatura comenta/cometa recorre/recorte cohete/comete
modalidad/moralidad moralidad/mortalidad novena/noventa sesenta/setenta consigna/consiga tendencia/tenencia
remonta/remota radial/radical padec/parec escuela/secuela descargar/descartar dorado/dotado adicción/adición
absorber/adsorber abertura/apertura actitud/aptitud aprender/aprehender aprobar/probar callad/cayad registr/registra
asignar/consignar borrador/corredor bloque/bosque cable/calle caché/cacho campo/cambio cierra/cierta clase/clave
concreto/correcto conect/correct convert/convers cuent/cuest cuent/cuerd decid/deced dispon/dispar envi/envidi
form/firm firm/film grup/grum puert/puest madera/manera mensaje/masaje mostr/mont pen/per paquet/parquet
perder/prender petición/repetición posición/poción prevenir/provenir previst/provist prueb/prueba recort/record
reducir/deducir relevar/revelar rebelar/revelar renov/remov repar/repas resum/resumen rot/rob sección/selección
servid/servic sesión/cesión testo/texto tarea/tarifa trat/traz trabad/trabaj usuari/usurari vari/vaci vot/bot
"""
TWINS = frozenset(frozenset(pair.split("/")) for words in (_ENGLISH, _SPANISH) for pair in words.split())
