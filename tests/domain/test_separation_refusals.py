"""Pairs that sound alike and are not: every one must be refused, in both orders, with the slot that tells them apart."""

from __future__ import annotations

import pytest

from muninn.domain.separation import Text, compare
from muninn.dream.words import Words

ENGLISH = """
number | The limit is -5. | The limit is 5.
number | Wait 5-10 minutes | Wait 510 minutes
number | Three servers are down | Four servers are down
number | Twenty-five users joined | Thirty-five users joined
number | One half of the users left | One third of the users left
number | The second attempt worked | The third attempt worked
number | It cost 1.5 million | It cost 1.5 billion
number | Keep ~5 items | Keep 5 items
number | Copy from 80 to 443 | Copy from 443 to 80
number | Read Part II first | Read Part III first
number | Charles IX ruled then | Charles XI ruled then
number | Phase I costs most | Phase V costs most
number | Ship 2.5 kg of A, 5 kg of B and 2.5 kg of C | Ship 2.5 kg of A, 5 kg of B and 5 kg of C
date | The audit is due May 3 2026 | The audit is due May 3 2025
date | Due 03/04/2026 | Due 04/03/2026
date | Nightly runs start today | Nightly runs start tomorrow
date | Nightly runs start tomorrow | Nightly runs start the day after tomorrow
date | The index broke last week | The index broke last month
date | We moved next spring | We moved next autumn
date | 2026-02-01: backup done, no errors | 2026-02-02: backup done, no errors
weekday | The review is on Monday | The review is on Tuesday
weekday | Bins go out on Mondays and Fridays. We are away on Friday | Bins go out on Mondays and Fridays. We are away on Monday
time | The bus leaves at quarter past eight | The bus leaves at quarter to eight
time | The bus leaves at half past eight | The bus leaves at quarter past eight
time | The clock runs on GMT | The clock runs on PST
time | The clock shows 9 in the morning | The clock shows 9 in the evening
time | The batch starts at 2am | The batch starts at 2pm
time | Call at 09:30 | Call at 09:45
unit | It restarts in 5 ms | It restarts in 5 s
unit | The disk holds 10 MB | The disk holds 10 Mb
unit | The disk holds 10 GB | The disk holds 10 GiB
unit | The oven is at 200 °C | The oven is at 200 °F
unit | The link does 10 Mb/s | The link does 10 MB/s
unit | The dose is 20 µg | The dose is 20 mg
unit | Growth was 5% | Growth was 5
currency | The plan costs 5 USD | The plan costs 5 EUR
currency | The plan costs 5 AUD | The plan costs 5 CAD
currency | They pay in Canadian dollars | They pay in Australian dollars
currency | The plan costs $5 | The plan costs €5
version | Pin the client to v1.2 | Pin the client to v12
version | The host runs Debian 11.4 | The host runs Debian 11.5
version | Build with Node 18 | Build with Node 20
port | The proxy listens on port 8443 | The proxy listens on port 9443
port | Connect to db:5432 | Connect to db:5433
path | Logs are in /var/log/app | Logs are in /var/log/web
path | Logs are in /data/raw | Logs are in /Data/raw
path | Keys come from staging.env.toml | Keys come from live.env.toml
url | The docs are at https://a.example/x | The docs are at https://a.example/y
identifier | Ask ana@example.com | Ask eva@example.com
identifier | Ticket OPS-451 is open | Ticket OPS-415 is open
identifier | Start it with --force | Start it with --force-with-lease
identifier | Tune max_size first | Tune min_size first
identifier | Tune maxSize first | Tune minSize first
identifier | The core is written in C++ | The core is written in C#
identifier | Block 10.1.0.0/16 | Block 10.1.0.0/24
identifier | The gateway is 10.0.0.1 | The gateway is 10.0.0.2
hash | Commit a1b2c3d4 broke the build | Commit a1b2c3d5 broke the build
quoted | The button says "send now" | The button says "send later"
quoted | The code is "Blue fox" | The code is "blue Fox"
name | Mia cooks, Ben washes and Mia dries | Mia cooks, Ben washes and Ben dries
name | We chose Postgres | We chose Mongo
name | Alice likes tea | Bob likes tea
name | Tom reports to Anna | Anna reports to Tom
name | She writes about Apple a lot | She writes about apple a lot
name | The policy covers us fully | The policy covers US fully
negation | Deploys are allowed | Deploys are not allowed
negation | Deploys are allowed | Deploys aren't allowed
negation | We use Redis | We no longer use Redis
negation | Works without a cache | Works with a cache
negation | No, wait here | No wait here
negation | No. Deploy it today | No deploy it today
antonym | Always squash before merging | Never squash before merging
antonym | Backups never contain secrets | Backups always contain secrets
antonym | Everything is logged | Nothing is logged
antonym | Prices rose in May | Prices fell in May
antonym | The flag is on | The flag is off
antonym | Run it before the deploy | Run it after the deploy
antonym | The change is reversible | The change is irreversible
antonym | Nobody can disable it twice | Nobody can enable it twice
antonym | DEBUG = True in tests | DEBUG = False in tests
antonym | Retry while n < 3 | Retry while n > 3
antonym | Keep logging requests | Stop logging requests
antonym | Vera managed to log in | Vera failed to log in
antonym | The vendor says it is safe | The vendor denies it is safe
antonym | The toilets are upstairs | The toilets are downstairs
antonym | The lessor paid | The lessee paid
antonym | The new desk is bigger | The new desk is smaller
antonym | The claim was granted | The claim was denied
antonym | He takes pills for hyperglycaemia | He takes pills for hypoglycaemia
word | The API is slow | The staging API is slow
word | The build passes | The build passed
word | The sky is blue | The sky is grey
word | Closed Mondays | Closed Monday
word | Tom is the owner | Tom is an owner
word | few errors remain | a few errors remain
word | The deploy is allowed. | The deploy is allowed?
word | the user's data is safe | the users' data is safe
order | The client calls the server | The server calls the client
order | Stop the worker. Run the migration. | Run the migration. Stop the worker.
order | First build it. Then test it. | Then test it. First build it.
"""
SPANISH = """
number | Hay tres nodos caídos | Hay cuatro nodos caídos
number | Quedan quince días | Quedan quinientos días
number | Tiene 1.500 filas | Tiene 1,500 filas
number | Subió el −5 hoy | Subió el 5 hoy
number | La nave mide trescientas varas | La nave mide setecientas varas
number | Leed el Tomo IV | Leed el Tomo VI
number | Es el 3.º de la fila | Es el 5.º de la fila
date | Vuelve pasado mañana | Vuelve mañana
date | La obra fue hace dos meses | La obra es dentro de dos meses
time | Sale a las nueve y media | Sale a las nueve y cuarto
time | Sale a las 9 de la mañana | Sale a las 9 de la noche
currency | Cuesta 90 pesos mexicanos | Cuesta 90 pesos argentinos
currency | Cuesta 90 dólares canadienses | Cuesta 90 dólares
date | El plazo vence el 3 de mayo | El plazo vence el 3 de marzo
date | Reunión el 15 de junio de 2026 | Reunión el 16 de junio de 2026
weekday | La reunión es el lunes | La reunión es el martes
unit | Espera 30 segundos | Espera 30 minutos
currency | Cuesta 5 euros | Cuesta 5 dólares
version | El servidor usa TLS 1.2 | El servidor usa TLS 1.3
port | Escucha en el puerto 3000 | Escucha en el puerto 3001
path | Está en /etc/a.conf | Está en /etc/b.conf
quoted | El botón dice «enviar» | El botón dice «borrar»
name | Hemos elegido Madrid | Hemos elegido Sevilla
name | Tomás informa a Ana | Ana informa a Tomás
negation | Se puede desplegar | No se puede desplegar
negation | Funciona con caché | Funciona sin caché
negation | Usamos Redis | Ya no usamos Redis
negation | El bebé apenas duerme | El bebé duerme
negation | El bar deja de abrir hoy | El bar abre hoy
antonym | Él negó haberlo visto | Él afirmó haberlo visto
antonym | El demandante recurrió | El demandado recurrió
antonym | Paga el arrendador | Paga el arrendatario
antonym | Las puertas están abiertas | Las puertas están cerradas
antonym | La solicitud fue admitida | La solicitud fue rechazada
antonym | Ella siguió con la dieta | Ella dejó la dieta
antonym | Siempre hay copia | Nunca hay copia
antonym | La latencia aumentó | La latencia disminuyó
antonym | Nunca borres la tabla | Siempre borra la tabla
antonym | Todos aprobaron el cambio | Nadie aprobó el cambio
negation | No, espere aquí | No espere aquí
antonym | La caché está habilitada | La caché está deshabilitada
antonym | El acceso está permitido | El acceso está prohibido
antonym | Hazlo antes del cierre | Hazlo después del cierre
word | ¿El despliegue está permitido? | El despliegue está permitido.
word | Quedan doscientas para cenar | Quedan doscientos para cenar
word | El papa llega mañana | El papá llega mañana
word | Si quieres, avisa | Sí quieres, avisa
word | El capital crece | La capital crece
word | Prefiero la de Ana | Prefiero de Ana
word | El sueldo neto sube | El suelo neto sube
"""
OTHERS = """
negation | 允许部署到生产环境。 | 不允许部署到生产环境。
negation | 不，允许部署 | 不允许部署
word | 私は猫が好きです | 私は犬が好きです
negation | Доступ разрешён | Доступ не разрешён
negation | Der Server ist aktiv | Der Server ist nicht aktiv
negation | On utilise Redis | On n'utilise pas Redis
negation | La cache è attiva | La cache non è attiva
negation | O cache está ativo | O cache não está ativo
negation | De poort is open | De poort is niet open
negation | Er is geen kopie | Er is kopie
negation | 서버가 안 멈춰요 | 서버가 멈춰요
negation | सर्वर नहीं चलता | सर्वर चलता
word | नया सर्वर | पुराना सर्वर
negation | الخادم يعمل | الخادم لا يعمل
number | 端口是 8080 | 端口是 8081
word | Maße prüfen | Masse prüfen
word | Все уехали | Всё уехали
word | هو درس العربية | هو درّس العربية
number | الغرفة ٢١٧ | الغرفة ٢١٨
"""
TRAPS = """
10² requests | 102 requests
2**3 and 4**5 | 23 and 45
x <= 5 | x >= 5
a == b | a != b
a -> b | a <- b
Rated A+ | Rated A
.env is ignored | env is ignored
git add . | git add
cd .. | cd .
ls *test* | ls test
- [x] deploy | - [ ] deploy
I feel :) | I feel :(
👍 | 👎
Balance: (500) | Balance: 500
name?: string | name: string
_id_ is set | id is set
The version is 1.10 | The version is 1.1
5+ years | 5 years
Deploy. Not tested. | Deploy not tested.
We owe 5 dollars, American firms pay more | We owe 5 American dollars, firms pay more
SELECT 'last name' FROM staff | SELECT "last name" FROM staff
set x = 'a b' | set x = "a b"
Look for "the the" in it | Look for "the" in it
Tell her that that works | Tell her that works
re-sign the contract | resign the contract
Is the API up? Yes. Is the DB up? No. | Is the API up? No. Is the DB up? Yes.
Mr. Lee pays Mr. Kim. | Mr. Kim pays Mr. Lee.
Redis replaced Memcached. It is fast. Postgres stays. | Redis replaced Memcached. Postgres stays. It is fast.
"""


def _rows(table: str) -> list[tuple[str, str, str]]:
    return [tuple(cell.strip() for cell in line.split(" | ")) for line in table.splitlines() if line]  # type: ignore[misc]


def _store(*texts: str) -> Words:
    return Words(lambda: texts)


@pytest.mark.parametrize(("slot", "left", "right"), _rows(ENGLISH + SPANISH + OTHERS))
def test_a_differing_slot_is_refused_by_name(slot: str, left: str, right: str) -> None:
    for one, other in ((left, right), (right, left)):
        found = compare(Text(None, one), Text(None, other), vocabulary=_store(one, other, one))
        assert found.refusal is not None
        assert found.refusal.slot == slot
        assert not any((found.equal_after_normalisation, found.sentence_reorder, found.misspelling))


@pytest.mark.parametrize("pair", TRAPS.strip().splitlines())
def test_what_normalisation_could_swallow_is_refused(pair: str) -> None:
    left, right = pair.split(" | ")
    for one, other in ((left, right), (right, left)):
        assert compare(Text(None, one), Text(None, other), vocabulary=_store(one, other, one)).refusal is not None


def test_a_refusal_says_both_values() -> None:
    refusal = compare(Text(None, "Listens on port 8080"), Text(None, "Listens on port 8081")).refusal
    assert refusal is not None
    assert (refusal.left, refusal.right) == ("8080", "8081")
    assert str(refusal) == "port differs: 8080 / 8081"


def test_titles_given_by_the_user_are_compared() -> None:
    port = "The port is 8080"
    assert compare(Text("Staging", port), Text("Production", port)).refusal is not None
    assert compare(Text("Staging", port), Text(None, port)).refusal is not None
    assert compare(Text("Staging", port), Text("staging", port)).refusal is None
    assert compare(Text("Port", port), Text(None, port)).refusal is None  # the title repeats the content


def test_lists_and_headings_keep_their_order() -> None:
    allowed, denied = "Allowed:\nread\nDenied:\nwrite", "Allowed:\nwrite\nDenied:\nread"
    assert compare(Text(None, allowed), Text(None, denied)).refusal is not None


def test_the_cell_of_a_table_and_the_level_of_a_list_count() -> None:
    for left, right in (
        ("| Cat | | Fish |", "| Cat | Fish | |"),
        ("| 1 | 12 |", "| 11 | 2 |"),
        ("Pack:\n- tent\n  - pegs\n- stove", "Pack:\n- tent\n- pegs\n- stove"),
        ("Pack.\n  - tent\n  - stove", "Pack.\n- tent\n- stove"),
        ("- tent\n  It leaks.", "- tent\nIt leaks."),
    ):
        assert compare(Text(None, left), Text(None, right)).refusal is not None


def test_texts_without_words_are_equal_only_character_for_character() -> None:
    assert compare(Text(None, "..."), Text(None, "!!!")).refusal is not None
    assert compare(Text(None, "..."), Text(None, " ... ")).refusal is None
