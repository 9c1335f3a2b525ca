package org.posthouse.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.doctor.Finding.Level;
import org.posthouse.cli.option.HostPort;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.KeysFolder;

/** Each check of the doctor, with values of hosts that are well and of those that are not. */
class DoctorChecksTest {
    private static List<Level> levels(List<Finding> findings) {
        return findings.stream().map(Finding::level).toList();
    }

    @Test
    void anOldJavaAndMissingFlagsFail() {
        assertThat(levels(JavaCheck.check(25, "25.0.1", List.of("-a", "-b"), List.of("-a")))).containsExactly(Level.OK, Level.OK);
        List<Finding> ill = JavaCheck.check(21, "21.0.2", List.of("-b"), List.of("-a", "-b"));
        assertThat(levels(ill)).containsExactly(Level.FAIL, Level.FAIL);
        assertThat(ill.get(1).text()).isEqualTo("missing: -a");
    }

    @Test
    void lowLimitsAreAWarningWithWhatRaisesThem() {
        List<String> limits = List.of("Limit   Soft Limit  Hard Limit  Units", "Max processes             1000                 2000                 processes");
        List<Finding> low = LimitsCheck.check(1024, limits);
        assertThat(levels(low)).containsExactly(Level.WARN, Level.WARN);
        assertThat(low.get(0).remedy()).contains("ulimit -n");
        assertThat(LimitsCheck.processes(limits)).hasValue(1000);
        assertThat(levels(LimitsCheck.check(4096, List.of("Max processes   unlimited  unlimited  processes")))).containsExactly(Level.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "ext4,  9000, 2,  OK,   OK,   OK",
        "nfs4,  9000, 2,  FAIL, OK,   OK",
        "tmpfs, 9000, 2,  WARN, OK,   OK",
        "ext4,  4000, 2,  OK,   WARN, OK",
        "ext4,  500,  2,  OK,   FAIL, OK",
        "ext4,  9000, 80, OK,   OK,   WARN"
    })
    void aDiskIsJudgedByItsKindItsRoomAndItsSyncs(String type, long freeMib, double syncMs, Level kind, Level room, Level sync) {
        assertThat(levels(DiskCheck.check(new DiskCheck.Disk("d", Optional.empty(), type, freeMib << 20, syncMs)))).containsExactly(kind, room, sync);
    }

    @Test
    void aFolderThatCannotBeWrittenIsTheOnlyFindingOfIt() {
        assertThat(levels(DiskCheck.check(DiskProbe.measure(Path.of("/proc/posthouse"))))).containsExactly(Level.FAIL);
    }

    @Test
    void aFolderIsMeasuredAndLeftAsItWas(@TempDir Path folder) {
        DiskCheck.Disk disk = DiskProbe.measure(folder.resolve("data"));
        assertThat(disk.fault()).isEmpty();
        assertThat(disk.syncMs()).isPositive();
        assertThat(disk.freeBytes()).isPositive();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void certificatesAndTheClockAreJudgedByTheirTimes(@TempDir Path folder) throws KeysException {
        GridAuthority.init(folder.resolve("grid"), 3650).issue("site-a", 365, folder.resolve("a"));
        KeysFolder keys = KeysFolder.read(folder.resolve("a"));
        Instant now = Instant.now();
        assertThat(levels(KeysCheck.check(keys, now))).containsExactly(Level.OK, Level.OK);
        assertThat(levels(KeysCheck.check(keys, now.plus(Duration.ofDays(350))))).containsExactly(Level.OK, Level.WARN);
        assertThat(levels(KeysCheck.check(keys, now.plus(Duration.ofDays(400))))).containsExactly(Level.OK, Level.FAIL);
        assertThat(KeysCheck.check(keys, now.minus(Duration.ofDays(30)))).extracting(Finding::subject).containsExactly("clock", "clock");
    }

    @Test
    void aPortThatIsTakenIsSaidWithItsOwner() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Finding finding = PortCheck.check(new HostPort("127.0.0.1", taken.getLocalPort()));
            assertThat(finding.level()).isEqualTo(Level.WARN);
            assertThat(finding.text()).contains("is taken by process " + ProcessHandle.current().pid());
        }
        assertThat(PortCheck.check(new HostPort("127.0.0.1", 0)).level()).isEqualTo(Level.OK);
        assertThat(PortCheck.check(new HostPort("192.0.2.1", 7411)).level()).as("no address of this host").isEqualTo(Level.FAIL);
    }

    @Test
    void theOwnerIsFoundByTheInodeOfWhatListens() {
        List<String> table = List.of(
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
                "   0: 0100007F:1CF3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0",
                "   1: 0100007F:1CF4 0100007F:1CF3 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0");
        assertThat(PortOwner.inode(table, 7411)).contains("4711");
        assertThat(PortOwner.inode(table, 7412)).as("connected, not listening").isEmpty();
    }

    @Test
    void aPeerIsReachedOrNot() throws IOException {
        HostPort there;
        try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            there = new HostPort("127.0.0.1", peer.getLocalPort());
            assertThat(PeerCheck.check(there, null).level()).isEqualTo(Level.OK);
        }
        assertThat(PeerCheck.check(there, null).level()).isEqualTo(Level.FAIL);
    }

    @Test
    void theReportHasALineForEachAndWhatToDo() throws IOException {
        DoctorReport report = new DoctorReport(List.of(Finding.ok("java", "25"), Finding.warn("port", "taken", "end it")));
        assertThat(report.text().lines()).containsExactly("OK    java         25", "WARN  port         taken", "                   do: end it");
        assertThat(report.isGood()).isFalse();
        assertThat(new ObjectMapper().readTree(report.json()).path(1).path("level").asText()).isEqualTo("WARN");
    }

    @ParameterizedTest
    @CsvSource({
        "10000, OK,   agree within 0.1 s",
        "11900, OK,   agree within 1.9 s",
        "12200, WARN, is 2.1 s before this host's",
        "7000,  WARN, is 3.0 s behind this host's"
    })
    void aRelaysClockIsComparedWithThisHosts(long at, Level level, String text) throws IOException {
        List<Finding> findings = ConsoleCheck.judge("h:1", new ObjectMapper().readTree("{\"at\":" + at + ",\"relays\":[]}"), 10_000, 10_100);
        assertThat(levels(findings)).containsExactly(level);
        assertThat(findings.getFirst().text()).endsWith(text);
    }

    @Test
    void aConsoleTellsWhichOfItsRelaysAreReady() throws IOException {
        List<Finding> findings = ConsoleCheck.judge(
                "h:1", new ObjectMapper().readTree("{'at':0,'relays':[{'relay':'a','ready':true,'reasons':[]},{'relay':'b','ready':false,'reasons':['full'],"
                        .replace('\'', '"') + "\"keys\":{\"warnings\":[\"expires\"]}}]}"),
                0, 0);
        assertThat(levels(findings)).containsExactly(Level.OK, Level.FAIL, Level.WARN, Level.OK);
        assertThat(findings.get(1).text()).isEqualTo("h:1: relay b: full");
    }
}
