"""What the server starts: requests to this side, and notifications."""

import asyncio

import pytest

from keepgate.protocol.errors import adapter_payload
from keepgate_client.errors import RpcError

WAIT_S = 90


async def test_a_handler_answers(connect):
    """The handler's result is the answer to the server's request."""
    connection = await connect()

    async def double(params):
        return params["n"] * 2

    connection.on_request("double", double)
    answer = await connection.request("ask", {"method": "double", "params": {"n": 21}}, timeout_s=WAIT_S)

    assert {"id": "ask-1", "result": 42} == answer


@pytest.mark.parametrize("number", [0, 7, "seven", ""])
async def test_the_servers_ids_come_back_as_they_were(connect, number):
    """Integers and strings, also falsy ones, are echoed with their type."""
    connection = await connect()

    async def nothing(_):
        return None

    connection.on_request("nothing", nothing)
    answer = await connection.request("ask", {"method": "nothing", "id": number}, timeout_s=WAIT_S)

    assert {"id": number, "result": None} == answer


async def test_an_unknown_method_is_answered(connect):
    """No handler: -32601, never silence."""
    connection = await connect()

    answer = await connection.request("ask", {"method": "window/unheardOf"}, timeout_s=WAIT_S)

    assert -32601 == answer["error"]["code"]


async def test_waiting_handlers_hold_up_nothing(connect):
    """While one handler waits for a person, other requests in both directions are answered."""
    connection = await connect()
    person = asyncio.Event()

    async def ask_person(_):
        await person.wait()
        return "yes"

    connection.on_request("person", ask_person)
    waiting = [connection.begin("ask", {"method": "person"}) for _ in range(2)]

    assert {"n": 1} == await connection.request("echo", {"n": 1}, timeout_s=WAIT_S)
    unknown = await connection.request("ask", {"method": "other"}, timeout_s=WAIT_S)
    assert -32601 == unknown["error"]["code"]

    person.set()
    answers = [(await asyncio.wait_for(call.answer, WAIT_S))["result"]["result"] for call in waiting]
    assert ["yes", "yes"] == answers


@pytest.mark.parametrize(
    ("error", "number", "message"),
    [
        (adapter_payload("x", "no such line", line=3), -32060, "x: line 3: no such line"),
        (RpcError(-32000, "not now", {"retry": True}), -32000, "not now"),
        (KeyError("a secret"), -32603, "the client failed with KeyError"),
    ],
)
async def test_a_failing_handler_answers_with_an_error(connect, error, number, message):
    """Faults and RPC errors go out whole; other exceptions by type, without their text."""
    connection = await connect()

    async def fail(_):
        raise error

    connection.on_request("fail", fail)
    answer = await connection.request("ask", {"method": "fail"}, timeout_s=WAIT_S)

    assert (number, message) == (answer["error"]["code"], answer["error"]["message"])


async def test_a_result_that_is_not_json_is_an_error_answer(connect):
    """A handler that returns something unsendable still gives the server an answer."""
    connection = await connect()

    async def unsendable(_):
        return object()

    connection.on_request("odd", unsendable)
    answer = await connection.request("ask", {"method": "odd"}, timeout_s=WAIT_S)

    assert -32603 == answer["error"]["code"]


async def test_the_server_can_withdraw_a_request(connect):
    """$/cancelRequest from the server cancels the handler, also before its first step; answer -32800."""
    connection = await connect()

    async def for_ever(_):
        await asyncio.Event().wait()

    connection.on_request("for-ever", for_ever)
    answer = await connection.request("ask", {"method": "for-ever", "withdraw": True}, timeout_s=WAIT_S)

    assert -32800 == answer["error"]["code"]


async def test_the_end_cancels_waiting_handlers(connect):
    """A handler that waits for a person is cancelled when the server is gone."""
    connection = await connect()
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def for_ever(_):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    connection.on_request("for-ever", for_ever)
    connection.begin("ask", {"method": "for-ever"})
    await asyncio.wait_for(started.wait(), WAIT_S)

    await connection.close(WAIT_S)

    await asyncio.wait_for(cancelled.wait(), WAIT_S)


async def test_notifications_reach_every_subscriber_in_order(connect):
    """Each subscriber hears each notification, in order, before the answer that follows them."""
    connection = await connect()
    one, two = [], []
    connection.subscribe("memory/added", one.append)
    connection.subscribe("memory/added", two.append)
    told = [["memory/added", {"seq": 1}], ["other", {}], ["memory/added", {"seq": 2}]]

    await connection.request("tell", {"notifications": told}, timeout_s=WAIT_S)

    assert [{"seq": 1}, {"seq": 2}] == one
    assert one == two


async def test_progress_is_delivered(connect):
    """$/progress is a notification like any other."""
    connection = await connect()
    heard = []
    connection.subscribe("$/progress", heard.append)
    report = {"token": "t", "value": {"kind": "report", "percentage": 50}}

    await connection.request("tell", {"notifications": [["$/progress", report]]}, timeout_s=WAIT_S)

    assert [report] == heard


async def test_a_subscription_can_be_withdrawn(connect):
    """After its withdrawal, which may be repeated, a subscriber hears nothing."""
    connection = await connect()
    heard = []
    withdraw = connection.subscribe("news", heard.append)
    withdraw()
    withdraw()

    await connection.request("tell", {"notifications": [["news", {}]]}, timeout_s=WAIT_S)

    assert [] == heard


async def test_a_failing_subscriber_is_reported_and_disturbs_nobody(connect):
    """Synchronous and asynchronous failures go to the loop's exception handler; the others still hear."""
    connection = await connect()
    reported, heard = [], []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["message"]))

    def fail(_):
        raise RuntimeError

    async def fail_later(_):
        raise RuntimeError

    for subscriber in (fail, fail_later, heard.append):
        connection.subscribe("news", subscriber)
    await connection.request("tell", {"notifications": [["news", 1]]}, timeout_s=WAIT_S)

    assert [1] == heard
    assert ["a subscriber of news failed"] * 2 == reported


async def test_an_asynchronous_subscriber_may_ask_the_server(connect):
    """A subscriber can use the connection it was called from."""
    connection = await connect()
    echoed = asyncio.get_running_loop().create_future()

    async def ask_back(params):
        echoed.set_result(await connection.request("echo", params))

    connection.subscribe("news", ask_back)
    await connection.request("tell", {"notifications": [["news", {"n": 1}]]}, timeout_s=WAIT_S)

    assert {"n": 1} == await asyncio.wait_for(echoed, WAIT_S)
