package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** How much of a large message is under way at once: a window of two chunks, one more over a link, and two more for all at once. */
final class WindowsTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    private static final int FAR = 3;

    private final OneRelay relay;
    private final OneRelay.Rank receiver;

    WindowsTest() throws Exception {
        relay = new OneRelay();
        receiver = relay.connect(1);
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    /** A message of the rank behind the link that meets a receive. */
    private void offer(long sequence, long bytes) throws Exception {
        receiver.sends(relay.frames.post(0, FAR, 1, 0, (int) sequence, 0));
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, FAR, 1, 0, sequence, bytes));
    }

    private void chunk(long sequence, long number) {
        relay.fromSite("there", relay.frames.chunk(0, FAR, 1, sequence, number * CHUNK, CHUNK));
        assertThat(relay.failure()).isNull();
    }

    private List<String> cleared() {
        List<String> told = List.copyOf(relay.sites);
        relay.sites.clear();
        return told;
    }

    private static String clear(long sequence, long chunks) {
        return "clear there 3->1 #" + sequence + " up to " + chunks * CHUNK;
    }

    @Test
    void moreThanAWindowIsUnderWayOverALinkAndGoesOnWhenHalfOfThatIsHere() throws Exception {
        offer(1, 10L * CHUNK);
        assertThat(cleared()).containsExactly(clear(1, 3));
        chunk(1, 0);
        assertThat(cleared()).isEmpty();
        chunk(1, 1);
        assertThat(cleared()).containsExactly(clear(1, 5));
    }

    @Test
    void whatIsLentHasALimitAndComesBackWithTheMessage() throws Exception {
        offer(1, 3L * CHUNK);
        offer(2, 10L * CHUNK);
        offer(3, 10L * CHUNK);
        assertThat(cleared()).containsExactly(clear(1, 3), clear(2, 3), clear(3, 2));
        chunk(3, 0);
        assertThat(cleared()).as("a window and no more").containsExactly(clear(3, 3));
        chunk(1, 0);
        chunk(1, 1);
        chunk(1, 2);
        assertThat(relay.core.lentBytes()).isEqualTo(CHUNK);
        chunk(3, 1);
        assertThat(cleared()).containsExactly(clear(3, 5));
    }

    @Test
    void noMoreIsLentThanAMessageNeeds() throws Exception {
        offer(1, 2L * CHUNK);
        assertThat(relay.core.lentBytes()).isZero();
        offer(2, 2L * CHUNK + 5);
        assertThat(relay.core.lentBytes()).isEqualTo(CHUNK);
        assertThat(cleared()).containsExactly(clear(1, 2), "clear there 3->1 #2 up to " + (2 * CHUNK + 5));
    }

    @Test
    void refusesWindowsThatCannotWork() {
        long window = 2L * CHUNK;
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, 1, CHUNK, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, -CHUNK, CHUNK, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, window, CHUNK, 1, 1));
    }
}
