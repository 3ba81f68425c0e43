"""Finds the JARs of delta-spark by their Maven coordinates, or fetches them into the user's cache.

They are only ever needed here, by the peer: the product itself adds nothing to Spark's JVM.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.peers.unavailable import PeerUnavailableError, peers_must_run

DELTA_VERSION = "4.4.0"
SPARK_VERSION = "4.2.0"
COORDINATES = (
    f"io.delta:delta-spark_4.2_2.13:{DELTA_VERSION}",
    f"io.delta:delta-storage:{DELTA_VERSION}",
    f"io.delta:delta-kernel-api:{DELTA_VERSION}",
    f"io.delta:delta-kernel-defaults:{DELTA_VERSION}",
    f"io.delta:delta-kernel-unitycatalog:{DELTA_VERSION}",
    "io.unitycatalog:unitycatalog-client:0.6.0",
)
HADOOP_AWS = "org.apache.hadoop:hadoop-aws:3.5.0"
"""Of the Hadoop that pyspark 4.2.0 brings."""
AMAZON = (
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
    *(
        f"software.amazon.awssdk:{part}:2.35.4"
        for part in ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
    ),
)
"""The parts that hadoop-aws uses; it names the whole of it, which is thirty times as large."""
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
FETCH_SECONDS = 600
MIN_JAVA = 17


def cache_folder() -> Path:
    """The folder for what the peers download or compile; DELTARESOLVER_CACHE moves it."""
    chosen = os.environ.get("DELTARESOLVER_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deltaresolver"


def find_java() -> Path:
    """The `java` of JAVA_HOME or of the PATH, version 17 or later; PeerUnavailableError when there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        raise PeerUnavailableError(f"no java in JAVA_HOME or on the PATH; install Java {MIN_JAVA} or later")
    answer = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', answer.stderr + answer.stdout)
    if version is None or int(version[1]) < MIN_JAVA:
        raise PeerUnavailableError(f"{found} is older than Java {MIN_JAVA}; point JAVA_HOME at a later one")
    return Path(found)


def get_delta_jars() -> list[Path]:
    """The delta-spark JARs, from the cache or fetched with Maven, else with Spark's own Ivy.

    Raises PeerUnavailableError when they are not cached and cannot be fetched either.
    """
    folder = cache_folder() / "jars"
    wanted = [folder / _jar_name(coordinate) for coordinate in COORDINATES]
    if not all(jar.is_file() for jar in wanted):
        folder.mkdir(parents=True, exist_ok=True)
        # Fetched beside the cache and moved in file by file, so that a second process never sees half a JAR.
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch-") as scratch:
            fetched = _fetch(Path(scratch))
            for coordinate, target in zip(COORDINATES, wanted, strict=True):
                (fetched / _jar_name(coordinate)).replace(target)
    return wanted


def get_s3a_jars() -> list[Path]:
    """The JARs with which Spark reaches `s3a://`, from the cache or fetched with Maven.

    Raises PeerUnavailableError when they are not cached and cannot be fetched either.
    """
    parts = hashlib.sha256(" ".join((HADOOP_AWS, *AMAZON)).encode()).hexdigest()[:12]
    folder = cache_folder() / "s3a" / parts
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch-") as scratch:
            fetched = Path(scratch, "jars")
            try:
                _copy_with_maven(_pom([HADOOP_AWS], AMAZON), Path(scratch), fetched)
            except (OSError, subprocess.SubprocessError) as error:
                raise PeerUnavailableError(f"Spark's JARs for S3 could not be fetched: {_reason(error)}") from error
            fetched.replace(folder)
    return sorted(folder.glob("*.jar"))


def _jar_name(coordinate: str) -> str:
    _, artifact, version = coordinate.split(":")
    return f"{artifact}-{version}.jar"


def _fetch(scratch: Path) -> Path:
    problems = []
    # Where the peer has to run, a network that fails once is asked again.
    attempts = 2 if peers_must_run() else 1
    for how, fetch in (("Maven", _fetch_with_maven), ("Spark's Ivy", _fetch_with_ivy)) * attempts:
        folder = Path(tempfile.mkdtemp(dir=scratch))
        try:
            fetch(folder)
        except (OSError, subprocess.SubprocessError) as error:
            problems.append(f"{how}: {_reason(error)}")
            continue
        missing = [c for c in COORDINATES if not (folder / _jar_name(c)).is_file()]
        if not missing:
            return folder
        problems.append(f"{how}: did not bring {', '.join(missing)}")
    raise PeerUnavailableError(
        "delta-spark's JARs are not cached and could not be fetched (" + "; ".join(problems) + ")"
    )


def _reason(error: Exception) -> str:
    """The line of a program's output that says most about why it failed."""
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    lines = [line.strip() for line in f"{error.stdout or ''}\n{error.stderr or ''}".splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("[ERROR] ", "Exception")) or "unresolved dependency" in line]
    return (telling or lines[-1:] or [f"exit code {error.returncode}"])[0]


def _run(command: list[str], **environment: str) -> None:
    subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=FETCH_SECONDS, env={**os.environ, **environment}
    )


def _fetch_with_maven(folder: Path) -> None:
    _copy_with_maven(_pom(COORDINATES), folder, folder)


def _copy_with_maven(project: str, scratch: Path, target: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise FileNotFoundError("mvn is not on the PATH")
    pom = scratch / "pom.xml"
    pom.write_text(project, encoding="utf-8")
    _run([maven, "-B", "-q", "-Dstyle.color=never", "-f", str(pom), COPY_GOAL, f"-DoutputDirectory={target}"])


def _pom(alone: Iterable[str], with_dependencies: Iterable[str] = ()) -> str:
    """A project that depends on JARs alone, since pyspark brings what is behind them, and on others with theirs."""
    nothing = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    wanted = [(coordinate, nothing) for coordinate in alone] + [(coordinate, "") for coordinate in with_dependencies]
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{exclusions}</dependency>"
        for (group, artifact, version), exclusions in ((each.split(":"), without) for each, without in wanted)
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>peers</groupId><artifactId>peers</artifactId>"
        f"<version>1</version><packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )


def _fetch_with_ivy(folder: Path) -> None:
    """Lets spark-submit resolve the coordinates for a script that does nothing, and takes the JARs from its cache."""
    script = folder / "nothing.py"
    script.write_text("", encoding="utf-8")
    ivy = folder / "ivy"
    _run([str(spark_program("spark-submit")), "--master", "local[1]", "--conf", f"spark.jars.ivy={ivy}",
          "--packages", ",".join(COORDINATES), str(script)], **spark_environment())  # fmt: skip
    for coordinate in COORDINATES:
        group, _, _ = coordinate.split(":")
        fetched = ivy / "jars" / f"{group}_{_jar_name(coordinate)}"
        if fetched.is_file():
            fetched.rename(folder / _jar_name(coordinate))


def spark_home() -> Path:
    """The folder of the installed pyspark, which holds a whole Spark; PeerUnavailableError without the right one."""
    try:
        import pyspark
    except ImportError as missing:
        raise PeerUnavailableError(f"pyspark is not installed; install pyspark=={SPARK_VERSION}") from missing
    if pyspark.__version__ != SPARK_VERSION:
        raise PeerUnavailableError(
            f"delta-spark {DELTA_VERSION} needs pyspark {SPARK_VERSION}, not {pyspark.__version__}"
        )
    return Path(pyspark.__file__).parent


def spark_program(name: str) -> Path:
    """A launcher of the installed Spark, such as spark-submit."""
    return spark_home() / "bin" / name


def spark_environment() -> dict[str, str]:
    """Environment variables for a launcher, so that no other Spark or Java on the machine is picked up."""
    return {"SPARK_HOME": str(spark_home()), "JAVA_HOME": str(find_java().resolve().parent.parent), "TZ": "UTC"}
