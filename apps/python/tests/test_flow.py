"""Flows: the order of the program, threads, errors, traces, simulation."""

import json
import threading
import time

import numpy as np
import pytest
import tegula


def test_tasks_give_what_the_program_in_its_order_gives():
    random = np.random.default_rng(2)
    data = [random.standard_normal(50) for _ in range(6)]
    expected = [one.copy() for one in data]

    def mix(target, source):
        target += 0.5 * np.roll(source, 1)

    steps = [(int(i), int(j)) for i, j in random.integers(6, size=(300, 2)) if i != j]
    for i, j in steps:
        mix(expected[i], expected[j])
    for n_jobs in (1, 2, 4):
        mine = [np.array(one) for one in data]
        random = np.random.default_rng(2)
        with tegula.Flow(n_jobs=n_jobs) as flow:
            for i, j in steps:
                flow.submit(mix, mine[i], mine[j], read_write=[mine[i]], read=[mine[j]])
        assert all(np.array_equal(one, other) for one, other in zip(mine, expected))


def test_results_are_data_of_other_tasks():
    with tegula.Flow(n_jobs=2) as flow:
        parts = [flow.submit(np.full, 10, float(i)) for i in range(4)]
        pairs = [flow.submit(np.add, parts[0], parts[1]), flow.submit(np.add, parts[2], parts[3])]
        total = flow.submit(np.sum, flow.submit(np.add, *pairs))
    assert total.result() == 60.0 and parts[3].result()[0] == 3.0
    assert "done" in repr(total)


def test_tasks_that_share_nothing_run_side_by_side():
    meet = threading.Barrier(2, timeout=20)
    with tegula.Flow(n_jobs=2) as flow:
        # Each waits for the other: one after the other they would never end.
        tasks = [flow.submit(meet.wait) for _ in range(2)]
    assert sorted(task.result() for task in tasks) == [0, 1]


def test_the_first_error_of_the_program_is_raised():
    a = np.zeros(3)

    def fail(text, _):
        raise LookupError(text)

    flow = tegula.Flow(n_jobs=2)
    flow.submit(fail, "first", a, read_write=[a])
    later = flow.submit(np.sum, a, read=[a])
    with pytest.raises(LookupError, match="first"):
        flow.wait()
    with pytest.raises((LookupError, RuntimeError)):
        later.result()


@pytest.mark.parametrize("policy", ["lws", "eager", "prio", "dmdas"])
def test_policies_of_the_runtime_run_python(policy):
    with tegula.Flow(n_jobs=2, policy=policy) as flow:
        tasks = [flow.submit(pow, i, 2, priority=i) for i in range(20)]
    assert [task.result() for task in tasks] == [i * i for i in range(20)]


def _chain_and_one():
    """Two tasks of one another, and one beside them; each sleeps."""
    flow, a = tegula.Flow(n_jobs=2, trace=True), [0]
    flow.submit(time.sleep, 0.01, read_write=[a], name="link")
    flow.submit(time.sleep, 0.01, read_write=[a], name="link")
    flow.submit(time.sleep, 0.01, name="beside")
    flow.wait()
    return flow


def test_traces_say_what_ran(tmp_path):
    flow = _chain_and_one()
    records = flow.records()
    assert sorted(records["name"]) == ["beside", "link", "link"]
    assert np.all(records["end"] - records["start"] >= 0.0099)
    links = np.sort(records[records["name"] == "link"], order="start")
    assert links["end"][0] <= links["start"][1]
    for name in ("run.html", "run.svg", "run.csv", "run.json", "run.trace"):
        flow.trace(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert "link" in (tmp_path / "run.csv").read_text()
    json.loads((tmp_path / "run.json").read_text())
    with pytest.raises(ValueError, match="txt"):
        flow.trace(tmp_path / "run.txt")
    with pytest.raises(FileNotFoundError):
        flow.trace(tmp_path / "no-folder" / "run.csv")


def test_simulated_time_follows_the_data(tmp_path):
    flow = _chain_and_one()
    # On one core one after the other, on two the chain alone counts.
    assert flow.simulate(1, seconds={"link": 2.0, "beside": 3.0}) == pytest.approx(7.0, rel=1e-3)
    assert flow.simulate(2, seconds={"link": 2.0, "beside": 3.0}) == pytest.approx(4.0, rel=1e-3)
    assert flow.simulate(8, seconds=1.0, trace=tmp_path / "sim.csv") == pytest.approx(2.0, rel=1e-3)
    assert (tmp_path / "sim.csv").stat().st_size > 100
    assert flow.simulate(1) >= 0.0297
    with pytest.raises(ValueError, match="beside"):
        flow.simulate(2, seconds={"link": 2.0})


def test_records_stay_after_the_block(tmp_path):
    with tegula.Flow(n_jobs=2, trace=True) as flow:
        flow.submit(pow, 2, 3, name="power")
        inside = flow.records()
        flow.submit(pow, 2, 4, name="another")
    records = flow.records()
    assert list(inside["name"]) == ["power"] and sorted(records["name"]) == ["another", "power"]
    flow.close()
    assert np.array_equal(flow.records(), records)
    for call in (lambda: flow.trace(tmp_path / "run.csv"), lambda: flow.simulate(2)):
        with pytest.raises(RuntimeError, match="the flow was closed: call its .* inside the block"):
            call()
    with tegula.Flow(n_jobs=1) as flow:
        flow.submit(pow, 2, 3)
    with pytest.raises(RuntimeError, match="nothing was recorded: make the flow with trace=True"):
        flow.records()


def test_a_flow_that_failed_has_records():
    with pytest.raises(ZeroDivisionError):
        with tegula.Flow(n_jobs=2, trace=True) as flow:
            flow.submit(divmod, 1, 0, name="failed")
    assert list(flow.records()["name"]) == ["failed"]


def test_a_flow_goes_on_after_a_wait():
    flow = tegula.Flow(n_jobs=2)
    first = flow.submit(sum, [1, 2])
    assert first.result() == 3
    second = flow.submit(pow, first, 2)
    assert second.result() == 9
    flow.close()
    with pytest.raises(RuntimeError):
        flow.submit(sum, [1])


def test_an_interrupt_ends_a_flow():
    import os
    import signal

    started, ran = threading.Event(), []

    def wait_for_it():
        started.set()
        time.sleep(0.6)

    flow = tegula.Flow(n_jobs=2)
    a = [0]
    flow.submit(wait_for_it, read_write=[a])
    for _ in range(50):
        flow.submit(ran.append, 1, read_write=[a])

    def interrupt():
        started.wait(20)
        # So that the main thread waits in the flow.
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        flow.wait()
    thread.join()
    assert len(ran) < 50
