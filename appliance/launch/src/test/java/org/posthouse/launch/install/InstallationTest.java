package org.posthouse.launch.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With which flags relays' JVMs are started by other commands, and from which jars. */
class InstallationTest {
    private static final List<String> BUILT = Installation.relayFlags(Map.of());

    @Test
    void relaysHaveTheFlagsOfTheEnvironmentBehindTheBuildsOwn() {
        List<String> expected = new ArrayList<>(BUILT);
        expected.addAll(List.of("-Xmx4g", "-XX:MaxDirectMemorySize=2g"));
        assertThat(Installation.relayFlags(Map.of("POSTHOUSE_RELAY_FLAGS", " -Xmx4g  -XX:MaxDirectMemorySize=2g ")))
                .isEqualTo(expected);
    }

    @Test
    void noneAreAddedWhereItIsEmpty() {
        assertThat(Installation.relayFlags(Map.of("POSTHOUSE_RELAY_FLAGS", " "))).isEqualTo(BUILT).noneMatch(String::isEmpty);
    }

    /** The JVM names the first of two places for a class that it has from a cache. */
    @Test
    void aCopiedInstallationRunsItsOwnJars() {
        Path original = Path.of("/opt/first/lib/mpj-lite.jar");
        Path copy = Path.of("/opt/second/lib/mpj-lite.jar");
        Path other = Path.of("/opt/second/posthouse.jar");
        assertThat(Installation.onClassPath(original, List.of(other, copy))).isEqualTo(copy);
        assertThat(Installation.onClassPath(original, List.of(copy, original))).isEqualTo(original);
        assertThat(Installation.onClassPath(original, List.of(other))).isEqualTo(original);
        Path classes = Path.of("/really/lite/classes");
        assertThat(Installation.onClassPath(classes, List.of(Path.of("/link/appliance/classes"), Path.of("/link/lite/classes"))))
                .as("folders of classes have all the same name")
                .isEqualTo(classes);
    }
}
