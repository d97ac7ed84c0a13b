"""The live path, against a server on this machine that plays the archive, good days and bad."""

import json
import lzma
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

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


def archive_csv(uci_id):
    """The table as the archive serves it, traps included."""

    def raw(file):
        return lzma.decompress((stored.FOLDER / f"{file}.xz").read_bytes()).decode().strip()

    if (
        uci_id == 2
    ):  # the ? of one part stay strings; those of the other are empty, its labels keep their dot
        train, test = raw("adult.data"), raw("adult.test").split("\n", 1)[1]
        body = f"{train}\n{test.replace(', ?', ',')}".replace(", ", ",")
    else:
        body = raw({15: "breast-cancer-wisconsin.data", 105: "house-votes-84.data"}[uci_id])
        body = body.replace("?", "")
    return f"{HEADERS[uci_id]}\n{body}\n"


class Archive(BaseHTTPRequestHandler):
    """Answers by the word that its server was given, and by a change of the table."""

    def log_message(self, *_):
        pass

    def send(self, body, status=200, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        archive = self.server
        if self.path.startswith("/csv/"):
            text = archive.change(archive_csv(int(self.path.rpartition("/")[2])))
            if archive.word == "cut":
                return self.send(text[: len(text) // 2], length=len(text))
            if archive.word == "flood":
                return self.send_without_end()
            return self.send(text)
        archive.calls += 1
        if archive.word == "503":
            return self.send("busy", 503)
        if archive.word == "hang up":
            return self.connection.close()
        if archive.word == "stall":
            return archive.released.wait(30)
        uci_id = int(self.path.split("id=")[1])
        names = archive.change(archive_csv(uci_id)).split("\n")[0].split(",")
        address = f"http://127.0.0.1:{archive.server_port}/csv/{uci_id}"
        variables = [{"name": name, "role": "Feature"} for name in names]
        metadata = {"uci_id": uci_id, "name": "played", "data_url": address, "variables": variables}
        more = {"additional_info": None, "intro_paper": None}
        return self.send(json.dumps({"status": 200, "data": metadata | more}))

    def send_without_end(self):
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.released.is_set():
                self.wfile.write(b"y,n,?" * 10_000)
        except OSError:
            self.server.hung_up.set()


@pytest.fixture
def archive(monkeypatch, tmp_path):
    """Python reads `sitecustomize` as it starts: with it, `ucimlrepo` asks the server here."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Archive)
    server.daemon_threads = True
    server.word, server.change, server.calls = "good", lambda text: text, 0
    server.released, server.hung_up = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/api/dataset"
    code = f"import ucimlrepo.fetch\nucimlrepo.fetch.API_BASE_URL = {address!r}\n"
    (tmp_path / "sitecustomize.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(live, "_cache_folder", lambda: tmp_path / "cache")
    data._refusal.cache_clear()
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (VOTING, "auto"),
        ("breast-cancer-wisconsin", "live"),
        pytest.param("adult", "auto", marks=pytest.mark.slow),
    ],
)
def test_a_good_answer_equals_the_stored_copy_in_every_cell(archive, name, source):
    if (
        name == VOTING
    ):  # the class last instead of first: an archive may order its columns as it likes
        archive.change = lambda text: "\n".join(
            ",".join([*line.split(",")[1:], line.split(",")[0]]) for line in text.split()
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dataset = data.load(name, source)
        again = data.load(name, source)
    copy = data.load(name, "stored")
    assert data.compare(dataset).empty and dataset.provenance.differences == 0
    assert dataset.frame.equals(copy.frame) and (dataset.frame.dtypes == copy.frame.dtypes).all()
    assert dataset.features == copy.features and dataset.provenance.source == "live"
    assert "equal to the stored copy in every cell" in str(dataset.provenance)
    assert archive.calls == 1 and again.provenance == dataset.provenance  # kept for later


def test_a_changed_cell_is_reported_and_auto_takes_the_stored_copy(archive):
    archive.change = lambda text: (
        text.replace("republican,n,y", "republican,y,y", 1) + "democrat" + ",y" * 16 + "\n"
    )
    with pytest.warns(UserWarning, match="differs from the stored copy in 2 cells"):
        dataset = data.load(VOTING, "live")
    assert data.compare(dataset).to_numpy().tolist() == [
        [0, "handicapped-infants", "y", "n"],
        [435, "*", "present", "absent"],
    ]
    assert "2 cells differ" in str(dataset.provenance)
    with pytest.warns(UserWarning, match="differs from the stored copy: using the stored copy"):
        auto = data.load(VOTING, "auto", refresh=True)
    assert archive.calls == 2
    assert auto.frame.equals(data.load(VOTING).frame)
    assert "sha256 verified; its download differs" in str(auto.provenance)


@pytest.mark.parametrize(
    ("word", "change", "reason"),
    [
        ("503", None, "it ended with ConnectionError: Error connecting to server"),
        ("hang up", None, "RemoteDisconnected|ConnectionError"),
        ("cut", None, "IncompleteRead"),
        ("good", lambda text: text[: len(text) // 2] + "\n", "rows of 435; it was cut off|tokenizing"),
        ("good", lambda text: text.replace("Class", "Party", 1), "it has no column class"),
        ("good", lambda text: text.replace("republican,n", "whig,n", 1), "values the catalog lacks: .*whig"),
    ],
)  # fmt: skip
def test_bad_answers_are_named_and_auto_takes_the_stored_copy(
    archive, tmp_path, word, change, reason
):
    archive.word, archive.change = word, change or archive.change
    for _ in range(2):  # it is asked once in a process
        with pytest.warns(UserWarning, match=reason) as caught:
            dataset = data.load(VOTING, "auto")
        assert len(caught) == 1 and "\n" not in str(caught[0].message)
        assert f"{VOTING}" in str(caught[0].message) and "using the stored" in str(
            caught[0].message
        )
        assert dataset.provenance.source == "stored" and archive.calls == 1
    assert "sha256 verified; " in str(dataset.provenance)
    assert not list(tmp_path.glob("cache/*"))  # what is no table is not kept


def test_a_word_where_a_number_should_be_is_named(archive):
    archive.change = lambda text: text.replace("\n1000025,5", "\n1000025,five", 1)
    with pytest.raises(data.DownloadError, match="'clump-thickness' holds 'five', and no number"):
        data.load("breast-cancer-wisconsin", "live")


@pytest.mark.parametrize(
    ("word", "timeout", "reason"),
    [
        ("stall", 2, "no complete answer within 2 s"),
        ("flood", 600, "MemoryError|annot allocate"),
    ],
)
def test_time_and_memory_have_an_end_and_nobody_reads_on(
    archive, monkeypatch, word, timeout, reason
):
    monkeypatch.setattr(live, "LARGEST", 300_000_000)
    archive.word = word
    with pytest.raises(data.DownloadError, match=reason):
        data.load(VOTING, "live", timeout=timeout)
    assert word == "stall" or archive.hung_up.wait(10)


def test_a_damaged_cache_is_downloaded_anew_and_one_that_cannot_be_written_stops_nothing(
    archive, tmp_path
):
    data.load(VOTING, "live")
    path = tmp_path / "cache" / f"{VOTING}.csv.xz"
    path.write_bytes(path.read_bytes()[:-200])
    assert data.compare(data.load(VOTING, "live")).empty and archive.calls == 2
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="could not be kept"):
        assert data.compare(data.load(VOTING, "live")).empty


def test_without_a_network_or_the_library_it_is_said(archive, monkeypatch):
    archive.server_close()  # nobody listens there any more
    with pytest.raises(data.DownloadError, match=r"could not download adult \(id 2\)") as error:
        data.load("adult", "live")
    assert "\n" not in str(error.value)
    monkeypatch.setattr(live, "find_spec", lambda name: None)
    with pytest.raises(data.DownloadError, match="ucimlrepo is not installed: install ppdm with"):
        data.load("adult", "live")


@pytest.mark.parametrize("source", ["live", "auto"])
def test_pima_has_no_live_source_and_says_so(archive, source):
    with pytest.warns(UserWarning, match="pima is no longer in the UCI archive: using the stored"):
        dataset = data.load("pima", source)
    assert dataset.provenance.source == "stored" and archive.calls == 0


def test_what_is_published_is_fetched_by_https_alone_and_up_to_a_size(archive):
    here = f"http://127.0.0.1:{archive.server_port}"
    assert live.download(f"{here}/csv/105").decode() == archive_csv(105)
    with pytest.raises(ValueError, match="holds more than 0.001 MB"):
        live.download(f"{here}/csv/105", largest=1_000)
    for address in ("file:///etc/hostname", "ftp://a.b/c", "http://a.b/c", "/etc/x"):
        with pytest.raises(ValueError, match=f"{address} is not followed: only https is"):
            live.download(address)
