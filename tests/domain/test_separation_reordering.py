"""Sentences that change places: those that stand alone say the same, those that count, answer, tell or point back do not."""

from __future__ import annotations

import pytest

from muninn.domain.separation import Text, compare

LEANS = r"""
Hey! Ana failed the exam. That's great! Tom is back. | Hey! Tom is back. That's great! Ana failed the exam.
Hey! I hate the dog. It bites. I love the cat. | Hey! I love the cat. It bites. I hate the dog.
Thanks! The logs are on the new disk. Don't touch it. The backup is on the old disk. | Thanks! The backup is on the old disk. Don't touch it. The logs are on the new disk.
Eva: The bike is new. What a relief! The car is sold. | Eva: The car is sold. What a relief! The bike is new.
Hi! The rent is high. So I need a loan. The car is old. | Hi! The car is old. So I need a loan. The rent is high.
¡Hola! Suspendí el examen. ¡Qué alegría! Llegó mi hermana. | ¡Hola! Llegó mi hermana. ¡Qué alegría! Suspendí el examen.
¡Hola! El perro está enfermo. Pobrecito. El gato está sano. | ¡Hola! El gato está sano. Pobrecito. El perro está enfermo.
Hi! Do you want to sell the flat? I do. | Hi! I do. Do you want to sell the flat?
Eva: Are you moving out? We might. | Eva: We might. Are you moving out?
Ana has the key. Ask her. Tom is away. | Tom is away. Ask her. Ana has the key.
We are out of milk. The shop is closed. That is a problem. | The shop is closed. That is a problem. We are out of milk.
Eva: Peel the onions. Fry the onions. | Eva: Fry the onions. Peel the onions.
Eva: The alarm rang. The guard left. | Eva: The guard left. The alarm rang.
Login is broken. Fix it today. Search is slow. | Search is slow. Fix it today. Login is broken.
The milk is bad! The cheese is fine! Throw it away. | The cheese is fine! The milk is bad! Throw it away.
El coche es rojo. La dueña es Ana. La furgoneta es azul. | La furgoneta es azul. La dueña es Ana. El coche es rojo.
The car is red. The owner is Ana. The van is blue. | The van is blue. The owner is Ana. The car is red.
We have a flat in Rome. There is a leak. We have a house in Lugo. | We have a house in Lugo. There is a leak. We have a flat in Rome.
Plan A is cheap. Its risk is low. Plan B is dear. | Plan B is dear. Its risk is low. Plan A is cheap.
Do you want the flat? We want it! | We want it! Do you want the flat?
Peel the onions. Fry the onions. | Fry the onions. Peel the onions.
Sand the wood. Varnish the wood. | Varnish the wood. Sand the wood.
Sign the deed. Pay the deposit. | Pay the deposit. Sign the deed.
Who pays? Ana. Who signs? Tom. | Who pays? Tom. Who signs? Ana.
Ana: Shall we sell the house?\nTom: Not this year. | Tom: Not this year.\nAna: Shall we sell the house?
Pros. Fast delivery. Cons. High price. | Cons. Fast delivery. Pros. High price.
Paris\nRome\nMadrid | Madrid\nRome\nParis
- Berlin\n- Prague\n- Vienna | - Vienna\n- Prague\n- Berlin
They married. They had a son. | They had a son. They married.
The alarm rang. The guard left. | The guard left. The alarm rang.
The server crashed. Tom restarted the proxy. | Tom restarted the proxy. The server crashed.
The log grew. So the disk was full. The cache grew. | The cache grew. So the disk was full. The log grew.
We wanted to buy. But the bank refused. The seller waited. | The seller waited. But the bank refused. We wanted to buy.
The nurse takes his pulse. The doctor gives the shot. | The doctor gives the shot. The nurse takes his pulse.
Whisk eggs. Add flour. Rest one hour. | Rest one hour. Whisk eggs. Add flour.
He hired the lawyer. That cost him the house. He sold the car. | He sold the car. That cost him the house. He hired the lawyer.
Take the pill. Wait an hour. Eat something. | Eat something. Wait an hour. Take the pill.
Is Ana coming? Tom is. | Tom is. Is Ana coming?
The train leaves at nine. We buy the tickets there. | We buy the tickets there. The train leaves at nine.
Pela las patatas. Fríe las patatas. | Fríe las patatas. Pela las patatas.
Lija la madera. Barniza la madera. | Barniza la madera. Lija la madera.
Firme la escritura. Pague la fianza. | Pague la fianza. Firme la escritura.
¿Quién paga? Ana. ¿Quién firma? Tomás. | ¿Quién paga? Tomás. ¿Quién firma? Ana.
Ventajas. Entrega rápida. Desventajas. Precio alto. | Desventajas. Entrega rápida. Ventajas. Precio alto.
Madrid\nParís\nRoma | Roma\nParís\nMadrid
Se casaron. Tuvieron un hijo. | Tuvieron un hijo. Se casaron.
Sonó la alarma. Salió el guardia. | Salió el guardia. Sonó la alarma.
Lavar el arroz. Hervir el agua. Echar sal. | Hervir el agua. Echar sal. Lavar el arroz.
Queríamos comprar. Pero el banco se negó. El vendedor esperó. | El vendedor esperó. Pero el banco se negó. Queríamos comprar.
Creció el registro. Así que se llenó el disco. Creció la caché. | Creció la caché. Así que se llenó el disco. Creció el registro.
Batir los huevos. Añadir harina. Reposar una hora. | Reposar una hora. Batir los huevos. Añadir harina.
Aprobado. Plan norte. Rechazado. Plan sur. | Rechazado. Plan norte. Aprobado. Plan sur.
¿Viene Ana? Viene Tomás. | Viene Tomás. ¿Viene Ana?
El perro mordió al cartero. El cartero huyó. | El cartero huyó. El perro mordió al cartero.
We fed the cat. We locked the door. | We locked the door. We fed the cat.
Melt butter. Stir in the flour. The oven is hot. | Stir in the flour. Melt butter. The oven is hot.
El piso es de Ana. Está en Lugo. El garaje es de Eva. | El garaje es de Eva. Está en Lugo. El piso es de Ana.
The dose is 5 mg. The drug is ibuprofen. The dose is 10 mg. The drug is aspirin. | The dose is 10 mg. The drug is ibuprofen. The dose is 5 mg. The drug is aspirin.
A is red. The other is blue. B is green. | B is green. The other is blue. A is red.
The plan is good! However the cost is high. The team is small. | The team is small. However the cost is high. The plan is good!
The contract is void. The reason is fraud. The lease is valid. The reason is notice. | The contract is void. The reason is notice. The lease is valid. The reason is fraud.
El contrato es nulo. La causa es fraude. El alquiler es válido. La causa es el aviso. | El contrato es nulo. La causa es el aviso. El alquiler es válido. La causa es fraude.
Ana is the buyer. Address is Rome. Eva is the seller. Address is Milan. | Ana is the buyer. Address is Milan. Eva is the seller. Address is Rome.
"""

STANDS = """
The flat has a balcony. The kitchen is small. | The kitchen is small. The flat has a balcony.
Ana likes tea. Tom prefers coffee. | Tom prefers coffee. Ana likes tea.
Thanks, Rut! It made my whole week. | It made my whole week. Thanks, Rut!
Anna: Wow, that is great! What do you like most about it? | Anna: What do you like most about it? Wow, that is great!
El contrato está en inglés. El tribunal está en Madrid. | El tribunal está en Madrid. El contrato está en inglés.
A Ana le gusta el té. Tomás prefiere café. | Tomás prefiere café. A Ana le gusta el té.
¡Hola, Eva! El piso es caro. | El piso es caro. ¡Hola, Eva!
Thanks for the cake, Tom! The children ate it all. The kitchen is a mess. | The children ate it all. The kitchen is a mess. Thanks for the cake, Tom!
So proud of you! Thanks, Eva! Painted the fence yesterday. Fixed the gate. | Thanks, Eva! Painted the fence yesterday. Fixed the gate. So proud of you!
Eva: The lake is cold. It is a long walk. The view is lovely. | Eva: The view is lovely. The lake is cold. It is a long walk.
Eva: The lake is cold. The view is lovely. | The view is lovely. Eva: The lake is cold.
Eva: Yes, the boat is dry now. The sail is new. Do you still have yours? | Eva: The sail is new. Do you still have yours? Yes, the boat is dry now.
¡Gracias, Eva! Los niños se lo comieron todo. La cocina es un desastre. | Los niños se lo comieron todo. La cocina es un desastre. ¡Gracias, Eva!
The garden is small. It is green. | It is green. The garden is small.
"""


def _pairs(table: str) -> list[tuple[str, str]]:
    rows = (line.replace("\\n", "\n").split(" | ") for line in table.splitlines() if line)
    return [tuple(row) for row in rows]  # type: ignore[misc]


@pytest.mark.parametrize(("left", "right"), _pairs(LEANS))
def test_an_order_that_carries_meaning_is_refused(left: str, right: str) -> None:
    for one, other in ((left, right), (right, left)):
        assert compare(Text(None, one), Text(None, other)).refusal is not None


@pytest.mark.parametrize(("left", "right"), _pairs(STANDS))
def test_sentences_that_stand_alone_may_change_places(left: str, right: str) -> None:
    for one, other in ((left, right), (right, left)):
        assert compare(Text(None, one), Text(None, other)).sentence_reorder


def test_sentences_change_places_whole() -> None:
    one, other = "Ask Ana, Bob or Eva. The flat is big.", "The flat is big. Ask Ana Bob or Eva."
    assert compare(Text(None, one), Text(None, other)).refusal is not None
