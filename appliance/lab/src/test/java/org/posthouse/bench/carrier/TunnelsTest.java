package org.posthouse.bench.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.affinity.Processors;

/** What becomes of another program that is installed, and does not work. */
class TunnelsTest {
    /** A program that leaves at once, or one that nobody needs. */
    private static final class Program implements PlainTunnel {
        private final boolean works;
        private boolean closed;

        private Program(boolean works) {
            this.works = works;
        }

        @Override
        public int open(int target, PortForwarder way) throws IOException, InterruptedException {
            if (!works) {
                Companion.start(List.of("/bin/sh", "-c", "echo no such key; exit 3"), "Listening now");
            }
            return way.to(target);
        }

        @Override
        public void place(ProcessLayout layout, Processors processors) {}

        @Override
        public void end() {}

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void oneThatCannotBeOpenedIsLeftOutWithItsReason() throws Exception {
        Program broken = new Program(false);
        List<Carrier> opened = new ArrayList<>();
        try (Tunnels tunnels = Tunnels.start(false)) {
            tunnels.add(Carrier.SSH, folder -> broken);
            tunnels.add(Carrier.STUNNEL, folder -> new Program(true));
            tunnels.each((carrier, tunnel) -> {
                assertThat(tunnel.open(7, port -> port + 1)).isEqualTo(8);
                opened.add(carrier);
            });
            assertThat(opened).containsExactly(Carrier.STUNNEL);
            assertThat(tunnels.all()).containsOnlyKeys(Carrier.STUNNEL);
            assertThat(tunnels.leftOut()).isEqualTo(Map.of(Carrier.SSH, "/bin/sh: no such key"));
            assertThat(broken.closed).isTrue();
        }
    }
}
