package org.posthouse.bench.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where processes of a bench run. */
class ProcessorsTest {
    @ParameterizedTest
    @CsvSource({"'0,1', 0, 1", "0-63, 0, 1", "'3,7-9', 3, 7", "'5-6,9', 5, 6"})
    void theFirstTwoThatAreAllowed(String list, String first, String second) throws IOException {
        Processors processors = Processors.of(list);
        assertThat(processors.list(0)).isEqualTo(first);
        assertThat(processors.list(1)).isEqualTo(second);
        assertThat(processors.list(ProcessLayout.FREE.relays())).isEqualTo(list);
    }

    @ParameterizedTest
    @CsvSource({"''", "0", "4-4"})
    void oneIsNotEnough(String list) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> Processors.of(list)).withMessageContaining("this process may use \"" + list + "\"");
    }

    @Test
    void partnersAreHalvesOfTheRanks() {
        assertThat(ProcessLayout.SPLIT.rank(1, 4)).isZero();
        assertThat(ProcessLayout.SPLIT.rank(2, 4)).isEqualTo(1);
        assertThat(ProcessLayout.APART.rank(0, 2)).isEqualTo(1);
    }

    @Test
    void relaysAreWhereTheirSiteIsOrAllInOnePlace() {
        assertThat(ProcessLayout.SITES.site(1, 4)).isZero();
        assertThat(ProcessLayout.SITES.site(2, 4)).isEqualTo(1);
        assertThat(ProcessLayout.SPLIT.site(1, 2)).isZero();
        assertThat(ProcessLayout.FREE.site(1, 2)).isEqualTo(ProcessLayout.FREE.relays());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void allThreadsOfAProcessAreMovedAndLetGo() throws IOException, InterruptedException {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "two processors");
        Processors processors = Processors.ofThisProcess();
        Process child = new ProcessBuilder("sleep", "600").start();
        try {
            processors.put(child.pid(), 1);
            assertThat(allowed(child.pid())).isEqualTo(processors.list(1));
            processors.put(child.pid(), ProcessLayout.FREE.relays());
            assertThat(allowed(child.pid())).isEqualTo(processors.list(-1));
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> processors.put(child.pid(), 1))
                .withMessageContaining("cannot put process " + child.pid() + " on processor " + processors.list(1));
    }

    private static String allowed(long process) throws IOException {
        return allowed(Path.of("/proc/" + process));
    }

    /** @param folder the system's, of a process or a thread */
    static String allowed(Path folder) throws IOException {
        return Files.readAllLines(folder.resolve("status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElseThrow();
    }
}
