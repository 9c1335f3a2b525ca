package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages of lifetimes, and what is none. */
class NodeLifetimesTest {
    private static List<NodeLifetimes.Lifetime> some(int count) {
        List<NodeLifetimes.Lifetime> lifetimes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lifetimes.add(new NodeLifetimes.Lifetime(i, NodeLifetimes.State.values()[i % 3]));
        }
        return lifetimes;
    }

    @Test
    void manyLifetimesTakeSeveralPages() throws WireException {
        List<NodeLifetimes.Lifetime> all = some(2 * NodeLifetimes.EACH_MAX + 1);
        List<NodeLifetimes.Lifetime> read = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        for (ByteBuffer frame : NodeLifetimes.encode(all)) {
            assertThat(frame.remaining()).isLessThanOrEqualTo(Wire.FRAME_BYTES_MAX);
            NodeLifetimes page = NodeLifetimes.decode(frame);
            left.add(page.left());
            read.addAll(page.lifetimes());
        }
        assertThat(left).containsExactly(2, 1, 0);
        assertThat(read).isEqualTo(all);
    }

    @Test
    void noLifetimeIsOnePage() throws WireException {
        assertThat(NodeLifetimes.encode(List.of())).hasSize(1);
        assertThat(NodeLifetimes.decode(NodeLifetimes.encode(List.of()).get(0)).lifetimes()).isEmpty();
    }

    @Test
    void aStateThatIsNoneIsMalformed() {
        ByteBuffer frame = new NodeLifetimes(0, some(1)).encode();
        frame.putShort(frame.limit() - Short.BYTES, (short) 3);
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> NodeLifetimes.decode(frame))
                .withMessage("NODE_LIFETIMES with state 3, expected 0 to 2");
    }
}
