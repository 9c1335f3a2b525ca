package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How flows share what goes. A frame is told by its length. */
class FairQueueTest {
    private static final int SHORT = 100;
    private static final int LONG = 400;

    private final FairQueue<String> turns = new FairQueue<>();
    private long place;

    @Test
    void flowsHaveAsManyBytesAsEachOther() {
        add("a", LONG, 3);
        add("b", SHORT, 20);
        assertThat(take(12)).containsExactly(LONG, SHORT, SHORT, SHORT, SHORT, LONG, SHORT, SHORT, SHORT, SHORT, LONG, SHORT);
    }

    /** As has a flow whose frames come one by one. */
    @Test
    void brieflyEmptyFlowRetainsItsServiceCount() {
        add("b", SHORT, 20);
        add("a", LONG, 1);
        List<Integer> taken = new ArrayList<>();
        for (int turn = 0; turn < 11; turn++) {
            int length = turns.next().length();
            taken.add(length);
            if (length == LONG) {
                add("a", LONG, 1);
            }
        }
        assertThat(taken).containsExactly(SHORT, LONG, SHORT, SHORT, SHORT, LONG, SHORT, SHORT, SHORT, SHORT, LONG);
    }

    @Test
    void nobodySavesUpTurnsWhileItHasNothing() {
        add("b", SHORT, 5);
        take(3);
        add("a", SHORT + 1, 3);
        assertThat(take(5)).containsExactly(SHORT, SHORT + 1, SHORT, SHORT + 1, SHORT + 1);
        assertThat(turns.isEmpty()).isTrue();
    }

    @Test
    void removedFlowLosesItsServiceCount() {
        add("a", LONG, 2);
        add("b", SHORT, 2);
        take(1);
        assertThat(turns.takeAll("a"::equals)).hasSize(1);
        add("a", LONG, 1);
        assertThat(take(3)).containsExactly(SHORT, LONG, SHORT);
        add("a", LONG, 1);
        turns.takeAll("a"::equals);
        assertThat(turns.isEmpty()).isTrue();
    }

    private void add(String flow, int length, int count) {
        for (int frame = 0; frame < count; frame++) {
            turns.add(flow, new LinkFrame(Unpooled.wrappedBuffer(new byte[length]), place++));
        }
    }

    private List<Integer> take(int count) {
        List<Integer> taken = new ArrayList<>();
        while (taken.size() < count) {
            LinkFrame first = turns.first();
            assertThat(turns.next()).isSameAs(first);
            taken.add(first.length());
        }
        return taken;
    }
}
