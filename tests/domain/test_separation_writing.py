"""Pairs of one wording in which only the writing differs, and with it the meaning: every one must be refused, in both orders."""

from __future__ import annotations

import pytest

from muninn.domain.separation import Text, compare, contradiction
from muninn.dream.words import Words

MARKS = r"""
The password is hunter2! | The password is hunter2.
La clave del wifi es Lobo77! | La clave del wifi es Lobo77
He'll pay the rent of the flat | Hell pay the rent of the flat
Nada, más que agua | Nada más que agua
No smoking. Allowed outside. | No smoking allowed outside.
Version 2 (beta) is live | Version 2 beta is live
The file is a.txt. b.txt is old | The file is a.txt b.txt is old
x: int | x int
Turn it on; off is broken | Turn it on, off is broken
The so-called doctor | The so called doctor
«Mañana» firma el juez | Mañana firma el juez
He said "I quit" and left | He said I quit and left
Payment in 30 days; or the contract ends | Payment in 30 days or the contract ends
I, Ana Ruiz, sell to Tom, my brother, the flat in the old town of Cuenca for a fair price. | I, Ana Ruiz, sell to Tom my brother the flat in the old town of Cuenca for a fair price.
Si gana, el caso lo pagará la otra parte en el plazo de tres meses desde la sentencia. | Si gana el caso, lo pagará la otra parte en el plazo de tres meses desde la sentencia.
Al salir, Marta y el notario firmaron la escritura del piso que tenemos en la calle mayor. | Al salir Marta y el notario firmaron la escritura del piso que tenemos en la calle mayor.
When we left, the house was sold to the neighbours from the second floor of the building. | When we left the house was sold to the neighbours from the second floor of the building.
After eating, the children and the dogs went back to the garden behind the old house again. | After eating the children and the dogs went back to the garden behind the old house again.
As mother said, Anna should take the car to the garage on Monday before the school run. | As mother said Anna should take the car to the garage on Monday before the school run.
The patient takes aspirin, not ibuprofen, with breakfast every single day of the week at home. | The patient takes aspirin not ibuprofen with breakfast every single day of the week at home.
Add sugar, flour, butter, salt and yeast to the bowl and wait for an hour by the oven. | Add sugar flour, butter salt and yeast to the bowl and wait for an hour by the oven.
Los herederos son Ana, Luis y Eva, y el piso es para la primera de ellas en la primavera. | Los herederos son Ana Luis y Eva y el piso es para la primera de ellas en la primavera.
The heirs are Ana, Luis and Eva, and the flat goes to the first of them in the spring. | The heirs are Ana Luis and Eva and the flat goes to the first of them in the spring.
Paris, Texas is hot in July and we will visit it with the children from school. | Paris Texas is hot in July and we will visit it with the children from school.
Let's eat, Grandma. | Let's eat Grandma.
The employees, who worked overtime, get a bonus. | The employees who worked overtime get a bonus.
My brother, who lives in Rome, is ill. | My brother who lives in Rome is ill.
Slow, children crossing. | Slow children crossing.
Invite Mary, Ann and Tom to the dinner. | Invite Mary Ann and Tom to the dinner.
Buy chocolate, milk and bread. | Buy chocolate milk and bread.
Anna, call the bank tomorrow. | Anna call the bank tomorrow.
Call Ana. Tomorrow pay the rent. | Call Ana tomorrow. Pay the rent.
No errors. Found the backup. | No errors found the backup.
No issue. Deployed on Friday. | No issue deployed on Friday.
Approve if (A and B) or C holds. | Approve if A and (B or C) holds.
The rent (not the deposit) is due. | The rent not the deposit is due.
Set the flag to "no" in the file. | Set the flag to no in the file.
Set port to "8080" in the compose file. | Set port to 8080 in the compose file.
The "expert" signed the report. | The expert signed the report.
A man eating shark was seen. | A man-eating shark was seen.
She keeps twenty five-year-old goats. | She keeps twenty-five year-old goats.
He is a small business owner. | He is a small-business owner.
We hired more experienced staff. | We hired more-experienced staff.
Use {name} in the template. | Use name in the template.
Copy the list with [...items] here. | Copy the list with [items] here.
Call it with ...args in the wrapper. | Call it with args in the wrapper.
The index is [0] in the docs. | The index is 0 in the docs.
# PermitRootLogin yes | PermitRootLogin yes
-- DROP TABLE users | DROP TABLE users
Blood type AB- for the patient. | Blood type AB for the patient.
The group is Rh- in both twins. | The group is Rh in both twins.
The ion is Cl⁻ in the solution. | The ion is Cl in the solution.
Well pay the deposit. | We'll pay the deposit.
Were ready to sign. | We're ready to sign.
Shell host the dinner. | She'll host the dinner.
The manager's approval is needed. | The managers approval is needed.
My brothers house is sold. | My brother's house is sold.
Ill be there at noon. | I'll be there at noon.
The user's files are kept. | The users files are kept.
Wed pay for the flowers. | We'd pay for the flowers.
Do not restart the server. | Do not restart the server?
I know what happened. | I know what happened?
The transfer to the new account was approved by the bank on Friday | The transfer to the new account was approved by the bank on Friday?
Have the team sign the form. | Have the team sign the form?
The invoice (paid?) is here. | The invoice (paid) is here.
Approved?! | Approved!
Will paid the invoice. | Will paid the invoice?
Nobody knows who signed. | Nobody knows who signed?
She ordered pie, ice cream and tea. | She ordered pie ice cream and tea.
Woman, without her man, is nothing. | Woman: without her, man is nothing.
I'm sorry, I love you. | I'm sorry I love you.
Help, Mark! | Help Mark!
The pay is fine; Tom, however late, is in. | The pay is fine, Tom; however late is in.
Most of the time, travellers worry about luggage. | Most of the time travellers worry about luggage.
Stop clubbing, baby seals. | Stop, clubbing baby seals.
Your donation just helped someone. Get a job. | Your donation just helped someone get a job.
The panda eats, shoots and leaves. | The panda eats shoots and leaves.
Ana: CEO; Tom: CTO | Ana; CEO: Tom; CTO
Eyes only: Ana | Eyes, only Ana
- [ ] file the taxes | - file the taxes
Call user.save! in the hook | Call user.save in the hook
Run echo `date` on the host | Run echo date on the host
Cron is 0 * 5 * * for the job. | Cron is 0 5 * * * for the job.
Select * from users in the console. | Select from users in the console.
total = price - tax | total = price tax
Set x to a * b in the sheet. | Set x to a b in the sheet.
Add 2026.3.1 to the list of builds. | Add 2026-03-01 to the list of builds.
Pedro, compra pan para la cena. | Pedro compra pan para la cena.
Los empleados, que trabajaron el domingo, cobran extra. | Los empleados que trabajaron el domingo cobran extra.
Mi hermano, que vive en Lima, está enfermo. | Mi hermano que vive en Lima está enfermo.
Perdón imposible, que cumpla su condena. | Perdón, imposible que cumpla su condena.
Vamos a comer, niños. | Vamos a comer niños.
Invita a Ana, María y Juan a la boda. | Invita a Ana María y Juan a la boda.
Compra café, leche y pan. | Compra café leche y pan.
No queremos saber. Llama al abogado. | No queremos saber llama al abogado.
No hay error. Encontrado el archivo. | No hay error encontrado el archivo.
Llama a Ana. Mañana paga el alquiler. | Llama a Ana mañana. Paga el alquiler.
Aprueba si (A y B) o C se cumple. | Aprueba si A y (B o C) se cumple.
El alquiler (no la fianza) vence hoy. | El alquiler no la fianza vence hoy.
Pon el valor en "no" en el fichero. | Pon el valor en no en el fichero.
El «experto» firmó el informe. | El experto firmó el informe.
El acuerdo franco-alemán va adelante. | El acuerdo franco alemán va adelante.
El traspaso de la cuenta nueva fue aprobado por el banco el viernes | ¿El traspaso de la cuenta nueva fue aprobado por el banco el viernes?
Sé qué pasó en la junta. | ¿Sé qué pasó en la junta?
La factura (¿pagada?) está aquí. | La factura (pagada) está aquí.
Usa {nombre} en la plantilla. | Usa nombre en la plantilla.
Si el hombre supiera realmente el valor que tiene la mujer, andaría en cuatro patas. | Si el hombre supiera realmente el valor que tiene, la mujer andaría en cuatro patas.
Ana, dice Tomás, es culpable. | Ana dice: Tomás es culpable.
Mientras comía, el perro ladraba. | Mientras comía el perro, ladraba.
Resultados: negativos, todos sanos. | Resultados negativos: todos sanos.
Grupo sanguíneo AB- en la ficha. | Grupo sanguíneo AB en la ficha.
Es Rh- desde siempre. | Es Rh desde siempre.
# Puerto 22 abierto | Puerto 22 abierto
El niño come solo, verduras no. | El niño come solo verduras, no.
Los niños cansados, duermen en casa. | Los niños, cansados, duermen en casa.
Juan llegó tarde. Enfadado, el jefe gritó. | Juan llegó tarde enfadado. El jefe gritó.
Escucha, Mario, cuando habla. | Escucha Mario cuando habla.
Camarero, trae vino. | Camarero trae vino.
Ven, Ana. | Ven Ana.
Fuimos a casa de Marta, la médica y Luis. | Fuimos a casa de Marta la médica y Luis.
Debo al banco 100. 200 a Luis. | Debo al banco 100 200 a Luis.
Toma la pastilla, si te duele. Llama. | Toma la pastilla. Si te duele, llama.
Señor, muerto está, tarde llegamos. | Señor muerto, está tarde, llegamos.
Pon [x] en la casilla. | Pon x en la casilla.
total = precio - impuesto | total = precio impuesto
Pon x como a * b en la hoja. | Pon x como a b en la hoja.
Llama a lista.sort! en el hook | Llama a lista.sort en el hook
The tenants, having paid the deposit last month in full, may move in on the first Monday of the month. | The tenants having paid the deposit last month in full may move in on the first Monday of the month.
The doctor said that the patient, Ana, and her sister may leave the ward on Friday after the visit. | The doctor said that the patient Ana and her sister may leave the ward on Friday after the visit.
I told the notary we would sell the flat, not rent it, after the summer holidays in the village. | I told the notary we would sell the flat not rent it after the summer holidays in the village.
Sell the flat, not the garage, before the end of the fiscal year if the bank agrees to it. | Sell the flat not the garage before the end of the fiscal year if the bank agrees to it.
Vende el piso, no el garaje, antes de que acabe el año fiscal si el banco está de acuerdo con ello. | Vende el piso no el garaje antes de que acabe el año fiscal si el banco está de acuerdo con ello.
Pay 100 or 200. | Pay 100. Or 200.
Open: Monday. Closed: Tuesday. | Open Monday. Closed: Tuesday.
Use 'None' as value | Use None as value
the meeting (postponed) starts | the meeting postponed starts
Se busca perro, blanco y negro | Se busca perro blanco y negro
Ni uno: más | Ni uno más
¿Qué? Tal vez. | ¿Qué tal, vez?
not (a or b) | (not a) or b
"""

LINES = r"""
if ready:\n    deploy()\nnotify() | if ready:\n    deploy()\n    notify()
for row in rows:\n    total += row\n    print(total) | for row in rows:\n    total += row\nprint(total)
jobs:\n  test:\n  deploy: | jobs:\n  test:\n    deploy:
- Tom\n  - Ana\n- Eva | - Tom\n  - Ana\n  - Eva
si listo:\n    desplegar()\navisar() | si listo:\n    desplegar()\n    avisar()
- Tomás\n  - Ana\n- Eva | - Tomás\n  - Ana\n  - Eva
Line one\n\n  - sub | Line one\n\n- sub
# title\ntext | title\ntext
x = 1\ny = 2 | y = 2\nx = 1
Ana 5\nEva 6 | Ana\n5 Eva 6
name: Ana\nage: 5 name: Eva | name: Ana age: 5\nname: Eva
SELECT a -- b\nFROM t | SELECT a\n-- b FROM t
"""

CAPITALS = r"""
Es de Don Benito | Es de don Benito
Compra en Día hoy | Compra en día hoy
Vio a la Virgen | Vio a la virgen
I saw a Jaguar | I saw a jaguar
class Foo is here | class foo is here
type Mm in the form | type mm in the form
Take vitamin K | Take vitamin k
A Christian day | A christian day
We love the Office | We love the office
La Paz está lejos | la paz está lejos
Meet Will at noon | meet will at noon
It moved the printer to IT on Friday. | It moved the printer to it on Friday.
The note mentions Brown in the margin. | The note mentions brown in the margin.
The lab measured CO in the sample. | The lab measured Co in the sample.
NO levels rose overnight. | No levels rose overnight.
WHO approved the vaccine? | Who approved the vaccine?
We found a Bush behind the house. | We found a bush behind the house.
My password is Hunter2 for the router. | My password is hunter2 for the router.
The wifi key is Ab12cD in the hall. | The wifi key is ab12cd in the hall.
The video id is dQw4w9WgXcQ on the page. | The video id is dqw4w9wgxcq on the page.
The team picked Plan A yesterday. | The team picked Plan a yesterday.
We met the Smiths and the Cook. | We met the Smiths and the cook.
He works for Sprint this month. | He works for sprint this month.
The child loves Frozen food. | The child loves frozen food.
She studied the Reformation in depth | She studied the reformation in depth
The exam covers SAM in detail. | The exam covers Sam in detail.
Deploy with Helm on the server. | Deploy with helm on the server.
The variable is Total in the script. | The variable is total in the script.
The State owns the land. | The state owns the land.
The Company shall pay the Agent. | The company shall pay the Agent.
we ship the order to Turkey | we ship the order to turkey
Our lawyer is Polish. | our lawyer is polish.
The patch is from Apple in the box. | the patch is from apple in the box.
Reference X1b on the label | Reference x1B on the label
La empresa se reunió con Sol en la playa. | La empresa se reunió con sol en la playa.
Visitó la Iglesia en Roma. | Visitó la iglesia en Roma.
El Estado paga la deuda. | El estado paga la deuda.
La clave es Verano2024 en el router. | La clave es verano2024 en el router.
El análisis midió CO en la muestra. | El análisis midió Co en la muestra.
Enseña SI en la escuela. | Enseña si en la escuela.
La nota habla de Blanco en la última página. | La nota habla de blanco en la última página.
Trabaja en Correos desde mayo. | Trabaja en correos desde mayo.
El grupo A gana la liga. | El grupo a gana la liga.
El código es aB12 en la puerta. | El código es Ab12 en la puerta.
La Bolsa cayó ayer. | La bolsa cayó ayer.
El equipo votó por Delgado en la junta. | El equipo votó por delgado en la junta.
cenamos con Paz en la terraza | cenamos con paz en la terraza
Fuimos a Cuenca con los primos. | fuimos a cuenca con los primos.
El Banco está cerrado hoy. | El banco está cerrado hoy.
Me habló de su Dulcinea y de Segura | Me habló de su Dulcinea y de segura
Llamó a Salud por la tarde. | Llamó a salud por la tarde.
She drives a Beetle to the office most days of the week. | She drives a beetle to the office most days of the week.
SHE CALLED IT FROM THE OFFICE | she called IT from the office
deploy with Make on the box | deploy with make on the box
the doctor is Mr. Brown and he is kind | the doctor is mr. brown and he is kind
Room B12 is booked | Room b12 is booked
"""

VALUES = r"""
The probe reads 3 mV at rest. | The probe reads 3 MV at rest.
The wavelength is 450 nm in the test. | The wavelength is 450 nM in the test.
The pump delivers 20 mJ per pulse. | The pump delivers 20 MJ per pulse.
The resistor is 10 mΩ on the board. | The resistor is 10 MΩ on the board.
The beam energy is 5 meV at the source. | The beam energy is 5 MeV at the source.
The vessel holds 3 mbar of pressure. | The vessel holds 3 Mbar of pressure.
The cable holds 12 kN in the wind. | The cable holds 12 kn in the wind.
The snack has 300 Cal in the pack. | The snack has 300 cal in the pack.
The dose was 2 mSv over the year. | The dose was 2 MSv over the year.
The battery is rated at 5 mAh for the sensor. | The battery is rated at 5 MAh for the sensor.
The link runs at 10 Mbps in the office. | The link runs at 10 MBps in the office.
The truck carries 5 tons of gravel. | The truck carries 5 tonnes of gravel.
Order 5 in black for the hall. | Order 5 inch black for the hall.
The fuse is rated for 10A in the kitchen. | The fuse is rated for 10th in the kitchen.
The signal is 5 Gs at the desk. | The signal is 5 gs at the desk.
The complexity is 2ⁿ for the loop. | The complexity is 2n for the loop.
The term is xⁿ in the sum. | The term is xn in the sum.
Mix 5⅒ parts of the resin. | Mix 51/10 parts of the resin.
The value of 5! is on the board. | The value of 5 is on the board.
Rooms twenty, five and six are free. | Rooms twenty five and six are free.
The codes are 12, 34 and 56 for the doors. | The codes are 12 34 and 56 for the doors.
Try lots 4, 5 today. | Try lots 4 5 today.
The ratio is 3 : 1 in the mix. | The ratio is 3 1 in the mix.
Multiply 2 * 3 for the total. | Multiply 2 3 for the total.
The seat is 5A on the plane. | The seat is 5O on the plane.
El informe tiene 1.500 filas en la tabla. | El informe tiene 1,500 filas en la tabla.
La tasa es de 3,125 en el contrato. | La tasa es de 3.125 en el contrato.
El saldo es de 2.000 en la cuenta. | El saldo es de 2,000 en la cuenta.
Las habitaciones treinta, dos y una están libres. | Las habitaciones treinta dos y una están libres.
Los lotes son 7, 8 y 9 en el almacén. | Los lotes son 7 8 y 9 en el almacén.
El valor de 5! está en la pizarra. | El valor de 5 está en la pizarra.
La proporción es 2 : 1 en la masa. | La proporción es 2 1 en la masa.
La sonda mide 3 mV en reposo. | La sonda mide 3 MV en reposo.
La muestra tiene 5 nM de sal en total. | La muestra tiene 5 nm de sal en total.
El pulso da 20 mJ en el láser. | El pulso da 20 MJ en el láser.
La resistencia es de 10 mΩ en la placa. | La resistencia es de 10 MΩ en la placa.
El gas está a 3 mbar en la cámara. | El gas está a 3 Mbar en la cámara.
La barra trae 300 Cal en total. | La barra trae 300 cal en total.
tercer piso, puerta 2ª | tercer piso, puerta 2º
el 1er piso | el 1o piso
"""

WORDS = r"""
We track leads on dribbble since the summer. | We track leads on dribble since the summer.
We host the documents on scribd for the clients. | We host the documents on scribed for the clients.
Let us go home now. | Let's go home now.
He is in the prison today. | He is in prison today.
The trip is out of the question. | The trip is out of question.
She is with the child now. | She is with child now.
He took the place of the chair. | He took place of the chair.
Ana la llama por la tarde. | Ana llama por la tarde.
Juan los vende en la feria. | Juan vende en la feria.
No la quiero en la casa. | No quiero en la casa.
El perro las tiene en la boca. | El perro tiene en la boca.
Compra el pan de la esquina. | Compra pan de la esquina.
Es el médico de la familia. | Es médico de la familia.
Llegó segunda en la carrera. | Llegó segundo en la carrera.
Mete primera en la cuesta. | Mete primero en la cuesta.
Ganó peso en el verano. | Ganó pesos en el verano.
Perdió pesos en la dieta. | Perdió peso en la dieta.
Cuesta 50 céntimos en la tienda. | Cuesta 50 centavos en la tienda.
La libra está en la balanza. | La libras está en la balanza.
Vive en el 5A de la torre. | Vive en el 5º de la torre.
Vive en el 2º 1ª de la finca. | Vive en el 2ª 1º de la finca.
El cuarto está listo. | El 4º está listo.
Los grandes no pagan la entrada. | Grandes no pagan la entrada.
"""

OTHERS = r"""
Können Sie morgen kommen? | Können sie morgen kommen?
Wir helfen den Armen im Winter. | Wir helfen den armen im Winter.
Das Essen ist fertig. | Das essen ist fertig.
Komm, wir essen, Opa. | Komm, wir essen Opa.
Er will sie nicht, sagt Anna. | Er will, sie nicht, sagt Anna.
Die Musik ist zu laut. | Die Musik ist zu Laut.
Il la voit le lundi dans la rue. | Il voit le lundi dans la rue.
Allons manger, les enfants. | Allons manger les enfants.
La facture est de 1.500 euros. | La facture est de 1,500 euros.
Les élèves, qui ont fini, sortent. | Les élèves qui ont fini sortent.
Jean, appelle Marie. | Jean appelle Marie.
O valor é de 1.500 reais. | O valor é de 1,500 reais.
Maria, compra pão. | Maria compra pão.
Anna, chiama il notaio. | Anna chiama il notaio.
Mario la vede nel parco. | Mario vede nel parco.
Gli studenti, che hanno finito, escono. | Gli studenti che hanno finito escono.
Казнить, нельзя помиловать. | Казнить нельзя, помиловать.
Мы едем в Орел летом. | Мы едем в орел летом.
Иван, позвони Анне. | Иван позвони Анне.
不要，停下来。 | 不要停下来。
男人没有了女人，就恐慌了。 | 男人没有了，女人就恐慌了。
ここではきものを脱ぐ。 | ここで、はきものを脱ぐ。
警官は、自転車で逃げる犯人を追った。 | 警官は自転車で、逃げる犯人を追った。
रोको, मत जाने दो। | रोको मत, जाने दो।
"""


def _pairs(tables: str) -> list[tuple[str, str]]:
    rows = (line.replace("\\n", "\n").split(" | ") for line in tables.splitlines() if line)
    return [tuple(row) for row in rows]  # type: ignore[misc]


def _refused(left: str, right: str) -> bool:
    """Whatever else the store says: nothing, or either text once more."""
    stores = ((left, right), (left, right, left), (left, right, right))
    return all(
        compare(Text(None, one), Text(None, other), vocabulary=Words(lambda texts=texts: texts)).refusal is not None  # type: ignore[misc]
        for texts in stores
        for one, other in ((left, right), (right, left))
    )


@pytest.mark.parametrize(("left", "right"), _pairs(MARKS + LINES + CAPITALS + VALUES + WORDS + OTHERS))
def test_writing_that_carries_meaning_is_refused(left: str, right: str) -> None:
    assert _refused(left, right)


STYLE = r"""
Thanks, Eva! The roof is dry now, and the gutter is new. What did it cost in the end? | Thanks Eva The roof is dry now and the gutter is new What did it cost in the end
The roof is dry now, and the gutter is new. We paid in spring, after the storm. | the roof is dry now and the gutter is new we paid in spring after the storm
The roof is dry now: the gutter is new. We paid in March (after the storm). | The roof is dry now the gutter is new We paid in March after the storm
The roof is dry, Eva! It cost a lot. | The roof is dry Eva! It cost a lot.
El tejado está seco, y el canalón es nuevo. Pagamos en marzo, tras la tormenta. | El tejado está seco y el canalón es nuevo Pagamos en marzo tras la tormenta
Eva met Tom at the gate. The dog of Ana was there. | Eva met tom at the gate. the dog of ana was there.
It's late and we're tired. That's all there is to say. | Its late and were tired. Thats all there is to say.
I'm sure you're right about the boiler. | Im sure youre right about the boiler.
What did the plumber say? | What did the plumber say!
The lease ends in June. Your flat is next. | The lease ends in June Your flat is next
"""


@pytest.mark.parametrize(("left", "right"), _pairs(STYLE))
def test_what_a_writer_leaves_out_everywhere_tells_nothing(left: str, right: str) -> None:
    for one, other in ((left, right), (right, left)):
        assert compare(Text(None, one), Text(None, other)).equal_after_normalisation


def test_titles_are_read_as_closely() -> None:
    for left, right in (("Backup (old)", "Backup old"), ("Notes on Polish", "Notes on polish"), ("v1, v2", "v1 v2")):
        assert compare(Text(left, "It is kept."), Text(right, "It is kept.")).refusal is not None


def test_a_mark_contradicts_nothing_by_itself() -> None:
    assert contradiction(Text(None, 'Set it to "no" today.'), Text(None, "Set it to no today.")) is None
    assert contradiction(Text(None, "The Docker host is up."), Text(None, "The docker host is up.")) is None


def test_a_refusal_shows_the_mark() -> None:
    found = compare(Text(None, "Ana, call the bank."), Text(None, "Ana call the bank."))
    assert str(found.refusal) == "writing differs: Ana , call / Ana call"
