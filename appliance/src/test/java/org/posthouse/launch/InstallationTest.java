package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With which flags relays' JVMs are started by other commands. */
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
}
