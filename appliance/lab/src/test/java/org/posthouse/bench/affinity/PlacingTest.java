package org.posthouse.bench.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.host.EmbeddedGrid;

/** Where a bench's relays run, which are in its own process: all of it is moved, and what another test would start meanwhile. */
@EnabledOnOs(OS.LINUX)
@Isolated
class PlacingTest {
    @Test
    void theRelaysOfEachSiteHaveTheirProcessor() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "two processors");
        Processors processors = Processors.ofThisProcess();
        Placing placing = new Placing();
        Vertx vertx = EmbeddedGrid.vertx();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 2, 1, false, ModeConfig.of(Mode.MULTIPLEXED))) {
            List<List<Long>> sites = grid.threads();
            assertThat(sites).hasSize(2).allSatisfy(threads -> assertThat(threads).hasSize(1)).doesNotHaveDuplicates();
            placing.put(ProcessLayout.SITES, List.of(grid), List.of(), List.of());
            assertThat(allowed(sites.get(0).getFirst())).isEqualTo(processors.list(0));
            assertThat(allowed(sites.get(1).getFirst())).isEqualTo(processors.list(1));
            placing.put(ProcessLayout.TOGETHER, List.of(grid), List.of(), List.of());
            assertThat(allowed(sites.get(1).getFirst())).isEqualTo(processors.list(0));
        } finally {
            placing.put(ProcessLayout.FREE, List.of(), List.of(), List.of());
            vertx.close().await();
        }
        assertThat(allowed(ProcessHandle.current().pid())).isEqualTo(processors.list(ProcessLayout.FREE.relays()));
    }

    private static String allowed(long thread) throws IOException {
        return ProcessorsTest.allowed(Path.of("/proc/self/task/" + thread));
    }
}
