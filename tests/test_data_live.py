"""The live path, against a server on this machine that plays the archive, good days and bad."""

import json
import lzma
import os
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import ucimlrepo.fetch

from ppdm import data
from ppdm.data import live, stored

HEADERS = {
    2: "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
    "sex,capital-gain,capital-loss,hours-per-week,native-country,income",
    15: "Sample_code_number,Clump_thickness,Uniformity_of_cell_size,Uniformity_of_cell_shape,"
    "Marginal_adhesion,Single_epithelial_cell_size,Bare_nuclei,Bland_chromatin,Normal_nucleoli,"
    "Mitoses,Class",
    105: "Class,handicapped-infants,water-project-cost-sharing,adoption-of-the-budget-resolution,"
    "physician-fee-freeze,el-salvador-aid,religious-groups-in-schools,anti-satellite-test-ban,"
    "aid-to-nicaraguan-contras,mx-missile,immigration,synfuels-corporation-cutback,"
    "education-spending,superfund-right-to-sue,crime,duty-free-exports,"
    "export-administration-act-south-africa",
}
VOTING = "congressional-voting"


def raw(file):
    return lzma.decompress((stored.FOLDER / f"{file}.xz").read_bytes()).decode().strip()


def archive_csv(uci_id):
    """The table as the archive serves it, traps included."""
    if uci_id == 2:
        train = raw("adult.data").replace(", ", ",")  # its ? stay strings, see SOURCES
        test = raw("adult.test").split("\n", 1)[1].replace(", ", ",").replace(",?", ",")
        body = train + "\n" + test  # its ? are empty, its labels keep their dot
    elif uci_id == 15:
        body = raw("breast-cancer-wisconsin.data").replace("?", "")
    else:
        body = raw("house-votes-84.data").replace("?", "")
    return HEADERS[uci_id] + "\n" + body + "\n"


def swap_columns(text):
    """The class last instead of first: an archive may order its columns as it likes."""
    rows = [line.split(",") for line in text.strip().split("\n")]
    return "\n".join(",".join([*row[1:], row[0]]) for row in rows) + "\n"


class Archive(ThreadingHTTPServer):
    """Answers each metadata call by the next word of `script` (the last one stays)."""

    daemon_threads = True
    script = ("good",)
    calls = 0
    change = staticmethod(lambda text: text)
    elsewhere = None  # where the metadata say that the table is
    sent = 0  # bytes of an endless table

    def next_word(self):
        word = self.script[min(self.calls, len(self.script) - 1)]
        self.calls += 1
        return word


class Answer(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, body, status=200, kind="application/json", length=None):
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length != "unsaid":
            self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def endless(self, pause):
        """A table without end, until nobody reads it any more."""
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.released.wait(pause):
                self.wfile.write(b"y,n,?" * 10_000)
                self.server.sent += 50_000
        except OSError:
            self.server.hung_up.set()

    def do_GET(self):
        archive = self.server
        if self.path.startswith("/csv/"):
            _, _, word, uci_id = self.path.split("/")
            text = archive.change(archive_csv(int(uci_id)))
            if word == "cut":
                return self.send(text[: len(text) // 2], kind="text/csv", length=len(text))
            if word == "short":
                return self.send(text[: len(text) // 2], kind="text/csv", length="unsaid")
            if word in ("flood", "drip"):
                return self.endless(pause=0.01 * (word == "drip"))
            if word == "stall":
                archive.released.wait(30)
                return None
            return self.send(text, kind="text/csv")
        uci_id = int(self.path.split("id=")[1])
        word = archive.next_word()
        if word == "503":
            return self.send("busy", status=503)
        if word == "html":
            return self.send("<html>maintenance</html>", kind="text/html")
        if word == "hang up":
            return self.connection.close()
        if word == "slow":
            archive.released.wait(30)
            return None
        if word == "404":
            return self.send(json.dumps({"status": 404, "message": "no such dataset"}))
        columns = archive.change(archive_csv(uci_id)).split("\n")[0].split(",")
        metadata = {
            "uci_id": uci_id,
            "name": "played",
            "data_url": archive.elsewhere
            or f"http://127.0.0.1:{archive.server_port}/csv/{word}/{uci_id}",
            "variables": [{"name": column, "role": "Feature"} for column in columns],
            "additional_info": None,
            "intro_paper": None,
        }
        return self.send(json.dumps({"status": 200, "data": metadata}))


@pytest.fixture
def archive(monkeypatch, tmp_path):
    server = Archive(("127.0.0.1", 0), Answer)
    server.released, server.hung_up = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/api/dataset"
    monkeypatch.setattr(ucimlrepo.fetch, "API_BASE_URL", address)
    monkeypatch.setattr(live, "cache_folder", lambda: tmp_path / "cache")
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pauses():
    return []


def load(name, pauses, source="live", **options):
    return data.load(name, source, pause=pauses.append, **options)


@pytest.mark.parametrize("name", ["adult", "breast-cancer-wisconsin", VOTING])
def test_a_good_answer_equals_the_stored_copy_in_every_cell(archive, pauses, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dataset = load(name, pauses)
    copy = data.load(name, "stored")
    assert data.compare(dataset).empty and dataset.provenance.differences == 0
    assert (dataset.frame.dtypes == copy.frame.dtypes).all()
    assert list(dataset.frame) == list(copy.frame) and dataset.features == copy.features
    assert "equal to the stored copy in every cell" in str(dataset.provenance)
    assert dataset.provenance.source == "live" and pauses == []


def test_the_order_of_the_archives_columns_does_not_matter(archive, pauses):
    archive.change = swap_columns
    assert data.compare(load(VOTING, pauses)).empty


def test_a_changed_cell_is_reported_and_kept(archive, pauses):
    archive.change = lambda text: text.replace("republican,n,y", "republican,y,y", 1)
    with pytest.warns(UserWarning, match="differs from the stored copy in 1 cells"):
        dataset = load(VOTING, pauses)
    found = data.compare(dataset)
    assert found.to_dict("records") == [
        {"row": 0, "column": "handicapped-infants", "here": "y", "reference": "n"}
    ]
    assert dataset.provenance.differences == 1 and "1 cells differ" in str(dataset.provenance)


def test_a_new_value_and_a_new_row_are_differences_too(archive, pauses):
    archive.change = lambda text: (
        text.replace("republican,n,y", "whig,n,y", 1) + "democrat" + ",y" * 16 + "\n"
    )
    with pytest.warns(UserWarning, match="in 2 cells"):
        dataset = load(VOTING, pauses)
    assert data.compare(dataset)["here"].tolist() == ["whig", "present"]
    with pytest.raises(ValueError, match="class 'class' must have two values"):
        data.binarize(dataset)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("503", "ConnectionError: Error connecting to server"),
        ("html", "JSONDecodeError"),
        ("hang up", "RemoteDisconnected|ConnectionError"),
        ("404", "no such dataset"),
        ("cut", "IncompleteRead"),
        ("short", r"rows of 435; it was cut off|Error tokenizing"),
    ],
)
def test_bad_answers_are_tried_again_then_told(archive, pauses, word, reason):
    archive.script = (word,)
    with pytest.raises(data.DownloadError, match=reason) as error:
        load(VOTING, pauses)
    message = str(error.value)
    assert f"could not download {VOTING} (id 105)" in message and "3 attempts" in message
    assert archive.calls == 3 and pauses == [1.0, 2.0]
    assert not (live.cache_folder() / f"{VOTING}.csv.xz").exists()


@pytest.mark.parametrize("word", ["slow", "stall"])
def test_a_server_that_does_not_answer_is_given_up(archive, pauses, word):
    archive.script = (word,)
    with pytest.raises(data.DownloadError, match="at most 1 s each"):
        load(VOTING, pauses, timeout=1, attempts=2)
    assert archive.calls == 2


def readers():
    return [t for t in threading.enumerate() if t.name == "ppdm download" and t.is_alive()]


def test_a_table_without_end_is_refused_and_nobody_reads_on(archive, pauses, monkeypatch):
    monkeypatch.setattr(live.download, "__defaults__", (30.0, 1_000_000))
    archive.script = ("flood",)
    with pytest.raises(data.DownloadError, match="holds more than 1 MB"):
        load(VOTING, pauses, attempts=1)
    assert archive.hung_up.wait(10) and readers() == []
    assert archive.sent < 50_000_000  # what the two ends buffer, and no more


def test_a_table_that_comes_too_slowly_is_given_up_and_nobody_reads_on(archive, pauses):
    archive.script = ("drip",)
    with pytest.raises(data.DownloadError, match="at most 1 s each"):
        load(VOTING, pauses, timeout=1, attempts=1)
    assert archive.hung_up.wait(10)
    for thread in readers():
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    "address", ["file:///etc/hostname", "ftp://a.b/c", "http://a.b/c", "/etc/x"]
)
def test_only_https_is_followed(archive, pauses, address):
    archive.elsewhere = address
    with pytest.raises(
        data.DownloadError, match=f"ValueError: {address} is not followed: only https"
    ):
        load(VOTING, pauses, attempts=1)


def test_a_redirection_is_held_to_the_same(archive, monkeypatch):
    def away(handler):
        handler.send_response(302)
        handler.send_header("Location", "http://archive.test/data.csv")
        handler.end_headers()

    monkeypatch.setattr(Answer, "do_GET", away)
    with pytest.raises(ValueError, match="http://archive.test/data.csv is not followed"):
        live.download(f"http://127.0.0.1:{archive.server_port}/")


def test_the_third_attempt_may_succeed(archive, pauses):
    archive.script = ("503", "html", "good")
    assert data.compare(load(VOTING, pauses)).empty
    assert pauses == [1.0, 2.0]


def test_a_table_of_another_kind_is_refused(archive, pauses):
    archive.change = lambda text: text.replace("Class", "Party", 1)
    with pytest.raises(data.DownloadError, match="the answer has no column class"):
        load(VOTING, pauses)
    archive.change = lambda text: text.replace("\n1000025,5", "\n1000025,five", 1)
    with pytest.raises(data.DownloadError, match="'clump-thickness' .* holds 'five'"):
        load("breast-cancer-wisconsin", pauses)


def test_a_download_is_kept_and_used_again(archive, pauses):
    first = load(VOTING, pauses)
    again = load(VOTING, pauses)
    assert archive.calls == 1
    assert again.provenance.sha256 == first.provenance.sha256
    assert again.provenance.retrieved == first.provenance.retrieved
    load(VOTING, pauses, refresh=True)
    assert archive.calls == 2
    assert [path.name for path in live.cache_folder().iterdir()] == [f"{VOTING}.csv.xz"]


def test_a_damaged_cache_is_downloaded_anew(archive, pauses):
    load(VOTING, pauses)
    path = live.cache_folder() / f"{VOTING}.csv.xz"
    path.write_bytes(path.read_bytes()[:-200])
    assert data.compare(load(VOTING, pauses)).empty and archive.calls == 2


def test_a_cache_that_cannot_be_written_does_not_stop_the_download(archive, pauses, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="could not be kept"):
        assert data.compare(load(VOTING, pauses)).empty


def test_an_interrupted_write_leaves_nothing_behind(archive, pauses, monkeypatch):
    def no_space(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.warns(UserWarning, match="no space left"):
        load(VOTING, pauses)
    assert list(live.cache_folder().iterdir()) == []


def test_auto_falls_back_with_one_warning(archive, pauses):
    archive.script = ("503",)
    with pytest.warns(UserWarning, match="using the stored copy") as caught:
        dataset = load(VOTING, pauses, source="auto")
    ours = [str(one.message) for one in caught if one.category is UserWarning]
    assert len(ours) == 1 and "using the stored copy" in ours[0]
    assert dataset.provenance.source == "stored"
    archive.script = ("good",)
    assert load(VOTING, pauses, source="auto").provenance.source == "live"


def test_no_network_says_what_was_tried(monkeypatch, archive, pauses):
    archive.server_close()  # nobody listens there any more
    with pytest.raises(data.DownloadError) as error:
        load("adult", pauses, attempts=2)
    assert "could not download adult (id 2) from the UCI archive in 2 attempts" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_environment_sets_the_source(archive, monkeypatch):
    monkeypatch.setenv("PPDM_DATA_SOURCE", "live")
    assert data.load(VOTING).provenance.source == "live"
    assert data.load(VOTING, "stored").provenance.source == "stored"


@pytest.mark.parametrize("source", ["live", "auto"])
def test_pima_has_no_live_source_and_says_so(archive, pauses, source):
    with pytest.warns(UserWarning, match="pima is no longer in the UCI archive"):
        dataset = load("pima", pauses, source=source)
    assert dataset.provenance.source == "stored" and archive.calls == 0


@pytest.mark.slow
def test_the_comparison_of_the_data_page(archive):
    report = data.compare_with_archive()
    assert report["data set"].tolist() == ["adult", "breast-cancer-wisconsin", VOTING]
    assert report["cells that differ"].tolist() == [0, 0, 0]
    assert report["rows"].tolist() == [48_842, 699, 435]


def test_the_timeout_of_other_sockets_is_left_alone(archive, pauses):
    import socket

    before = socket.getdefaulttimeout()
    load(VOTING, pauses, timeout=5.0)
    assert socket.getdefaulttimeout() == before
