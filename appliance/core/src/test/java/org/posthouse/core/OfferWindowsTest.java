package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** How much of a large message is under way at once: a window of two chunks, one more over a link, and two more for all at once. */
final class OfferWindowsTest {
    private static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    private static final int FAR = 3;

    private final OneRelay relay;
    private final OneRelay.Rank receiver;

    OfferWindowsTest() throws Exception {
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
    void lentWindowIsBoundedAndMessagesOfASenderAlternate() throws Exception {
        offer(1, 10L * CHUNK);
        offer(2, 3L * CHUNK);
        offer(3, 10L * CHUNK);
        assertThat(cleared()).as("three of four chunks are under way: there is room for one, and not for a window").containsExactly(clear(1, 3));
        assertThat(relay.core.lentBytes()).isEqualTo(CHUNK);
        chunk(1, 0);
        assertThat(cleared()).containsExactly(clear(2, 2));
        chunk(1, 1);
        assertThat(cleared()).as("the first wants more, and has its turn behind the third").isEmpty();
        chunk(1, 2);
        assertThat(cleared()).containsExactly(clear(3, 2));
        chunk(2, 0);
        chunk(2, 1);
        assertThat(cleared()).containsExactly(clear(1, 5));
    }

    @Test
    void eachSenderHasOneWindowOfItsOwn() throws Exception {
        offer(1, 10L * CHUNK);
        offer(2, 10L * CHUNK);
        chunk(1, 0);
        assertThat(cleared()).containsExactly(clear(1, 3), clear(2, 2));
        assertThat(relay.core.lentBytes()).as("all that there is").isEqualTo(2 * CHUNK);
        OneRelay.Rank near = relay.connect(0);
        for (int tag = 1; tag <= 2; tag++) {
            receiver.sends(relay.frames.post(0, 0, 1, tag, 10 + tag, 0));
            near.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, tag, tag, 2L * CHUNK));
        }
        assertThat(near.heard).containsExactly("clear ->1 #1 up to 131072");
        near.heard.clear();
        chunk(1, 1);
        assertThat(near.heard).as("nothing is left to lend").isEmpty();
        near.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        near.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, CHUNK));
        assertThat(near.heard).containsExactly("clear ->1 #2 up to 131072");
        assertThat(relay.core.underWayBytes()).as("two windows, and what may be lent").isEqualTo(6L * CHUNK);
    }

    /** The process may have died: what its sender waits for comes when another does. */
    @Test
    void idleSenderDoesNotBlockOtherSendersWindows() throws Exception {
        offer(1, 10L * CHUNK);
        offer(2, 10L * CHUNK);
        assertThat(cleared()).as("the second waits for what is lent").containsExactly(clear(1, 3));
        receiver.sends(relay.frames.post(0, 4, 1, 0, 4, 0));
        relay.fromSite("far", relay.frames.message(FrameType.OFFER, 0, 4, 1, 0, 1, 10L * CHUNK));
        assertThat(cleared()).as("his own, and nothing that is lent").containsExactly("clear far 4->1 #1 up to " + 2 * CHUNK);

        OneRelay.Rank near = relay.connect(0);
        long[] chunks = {2, 2, 1};
        for (int tag = 1; tag <= chunks.length; tag++) {
            receiver.sends(relay.frames.post(0, 0, 1, tag, 10 + tag, 0));
            near.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, tag, tag, chunks[tag - 1] * CHUNK));
        }
        assertThat(near.take()).containsExactly("clear ->1 #1 up to " + 2 * CHUNK);
        near.sends(relay.frames.chunk(0, 0, 1, 1, 0, CHUNK));
        assertThat(near.take()).as("the third has room, and is behind the second").isEmpty();
        near.sends(relay.frames.chunk(0, 0, 1, 1, CHUNK, CHUNK));
        assertThat(near.take()).containsExactly("clear ->1 #2 up to " + 2 * CHUNK);
        near.sends(relay.frames.chunk(0, 0, 1, 2, 0, CHUNK));
        assertThat(near.take()).containsExactly("clear ->1 #3 up to " + CHUNK);
        assertThat(relay.core.sendersThatWait()).isOne();
    }

    @Test
    void jobEndRemovesItsWaitingSenders() throws Exception {
        offer(1, 10L * CHUNK);
        offer(2, 10L * CHUNK);
        assertThat(relay.core.sendersThatWait()).isOne();
        relay.core.closeJob(OneRelay.OTHER_JOB, new CloseNotice(OneRelay.OTHER_JOB, 0, -1, ""));
        assertThat(relay.core.sendersThatWait()).isOne();
        relay.end();
        assertThat(relay.core.sendersThatWait()).isZero();
    }

    @Test
    void noMoreIsLentThanAMessageNeeds() throws Exception {
        offer(1, CHUNK);
        assertThat(relay.core.lentBytes()).isZero();
        offer(2, 2L * CHUNK + 5);
        assertThat(relay.core.lentBytes()).isEqualTo(CHUNK + 5L);
        assertThat(cleared()).containsExactly(
                clear(1, 1), "clear there 3->1 #2 up to " + (2 * CHUNK + 5));
    }

    @Test
    void refusesWindowsThatCannotWork() {
        long window = 2L * CHUNK;
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, 1, CHUNK, 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, -CHUNK, CHUNK, 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, window, window, CHUNK, 1, 1, 0));
    }
}
