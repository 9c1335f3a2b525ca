package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.launch.job.JobFailure;

/** The lines of host files, good and bad. */
class HostFileTest {
    private static String hosts(String text) throws JobFailure {
        return HostFile.parse("hosts", text).hosts().stream()
                .map(each -> each.host() + " " + text(each.slots()) + " " + text(each.maxSlots()) + " " + each.site().orElse("-"))
                .collect(Collectors.joining("; "));
    }

    private static String text(OptionalInt number) {
        return number.isPresent() ? "" + number.getAsInt() : "-";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "n1                                       | n1 - - -",
        "n1 slots=4 site=a # the first one        | n1 4 - a",
        "n1 slots = 4  max_slots=8                | n1 4 8 -",
        "n1:4                                     | n1 4 - -",
        "n1:4 max-slots=4 site=site-a             | n1 4 4 site-a",
        "joe@n1.example.org slots=2               | joe@n1.example.org 2 - -",
        "10.0.0.1:2                               | 10.0.0.1 2 - -",
        "[fe80::1%eth0]:2                         | fe80::1%eth0 2 - -",
        "[::1] slots=3                            | ::1 3 - -",
        "2001:db8::1                              | 2001:db8::1 - - -",
        "n2 slots=1#n3                            | n2 1 - -",
    })
    void lineOfEitherSpelling(String line, String expected) throws Exception {
        assertThat(hosts(line)).isEqualTo(expected);
    }

    @Test
    void emptyLinesAndLineEndsOfOtherSystems() throws Exception {
        assertThat(hosts("\uFEFF# hosts of site a\r\n\r\n  n2 slots=2\r\n\t\r\nn1")).isEqualTo("n2 2 - -; n1 - - -");
    }

    @Test
    void furtherLinesAddSlots() throws Exception {
        assertThat(hosts("n1 slots=2\nn2:1\nn1:3 site=a\nn1 max-slots=9\n")).isEqualTo("n1 6 9 a; n2 1 - -");
        assertThat(hosts("n1\nn1\n")).as("as Open MPI counts").isEqualTo("n1 2 - -");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "n1 slots=0       | \"slots=0\" has no number of slots from 1 to 100000",
        "n1 slots=four    | \"slots=four\" has no number of slots from 1 to 100000",
        "n1 slots=99999999999 | \"slots=99999999999\" has no number of slots from 1 to 100000",
        "n1 slots=        | \"slots=\" has no number of slots from 1 to 100000",
        "n1:              | \"n1:\" has no number of slots from 1 to 100000",
        "n1:-2            | \"n1:-2\" has no number of slots from 1 to 100000",
        "n1:2 slots=2     | \"slots=2\" says the slots a second time",
        "n1 slots=4 max-slots=2 | n1 has 4 slots, more than max-slots=2",
        "n1 cores=4       | \"cores=4\" is not known: a line is HOST [slots=N] [max-slots=N] [site=NAME], or HOST:N",
        "n1 n2            | \"n2\" is not known: a line is HOST [slots=N] [max-slots=N] [site=NAME], or HOST:N",
        "slots=4          | \"slots=4\" is no host",
        "-oProxyCommand=x | \"-oProxyCommand=x\" is no host",
        "-x slots=2       | \"-x\" is no host",
        "joe@-x           | \"joe@-x\" is no host",
        "$(reboot)        | \"$(reboot)\" is no host",
        "n1 site=a/b      | \"site=a/b\" is no site's name",
    })
    void badLineIsToldWithItsNumber(String line, String fault) {
        assertThatThrownBy(() -> hosts("n0\n\n" + line + "\n")).isInstanceOf(JobFailure.class).hasMessage("hosts:3: " + fault);
    }

    @Test
    void linesThatContradictEachOtherAreRefused() {
        assertThatThrownBy(() -> hosts("n1 site=a\nn1 site=b")).hasMessage("hosts:2: n1 has the site a already");
        assertThatThrownBy(() -> hosts("n1:3 max-slots=4\nn1:2")).hasMessage("hosts:2: n1 has 5 slots, more than max-slots=4");
    }

    @Test
    void furtherBadLinesAreCounted() {
        assertThatThrownBy(() -> hosts("n1 x\nn2\nn3:x\nn4:x")).hasMessageStartingWith("hosts:1: \"x\" is not known")
                .hasMessageEndingWith(" (and 2 more lines)");
        assertThatThrownBy(() -> hosts("a\u001b[2J")).hasMessage("hosts:1: \"a?[2J\" is no host");
    }

    @Test
    void fileWithoutHostsAndMissingFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("hosts"), "n1 slots=2\n");
        assertThat(HostFile.read(file).hosts()).containsExactly(new HostSlots("n1", OptionalInt.of(2), OptionalInt.empty(), Optional.empty()));
        assertThatThrownBy(() -> hosts("# none\n")).hasMessage("the host file hosts names no host");
        Path none = folder.resolve("none");
        assertThatThrownBy(() -> HostFile.read(none)).isInstanceOf(JobFailure.class)
                .hasMessage("the host file " + none + " cannot be read: no such file: " + none);
    }
}
