package org.posthouse.relay.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

/** A loop that polls asks as long as it was told to, counted from what came last, and then sleeps. */
final class BusyPollTest {
    private static final long MICRO = 1_000;

    private long now = Long.MAX_VALUE - 5 * MICRO;
    private int ready;
    private final BusyPoll poll = new BusyPoll(20, () -> now);

    private int ask(long afterMicros, boolean hasTasks) throws Exception {
        now += afterMicros * MICRO;
        return poll.calculateStrategy(() -> ready, hasTasks);
    }

    @Test
    void sleepsWhenNothingHasComeForAWhile() throws Exception {
        assertThat(ask(0, false)).isZero();
        assertThat(ask(10, false)).isZero();
        assertThat(ask(9, false)).isZero();
        assertThat(ask(1, false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void readyEventsRestartTheBusyPollPeriod() throws Exception {
        assertThat(ask(0, false)).isZero();
        ready = 2;
        assertThat(ask(19, false)).isEqualTo(2);
        ready = 0;
        assertThat(ask(19, false)).isZero();
        assertThat(ask(0, true)).isZero();
        assertThat(ask(19, false)).isZero();
        assertThat(ask(1, false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void sleepThatEndsBeginsANewWhile() throws Exception {
        assertThat(ask(0, false)).isZero();
        assertThat(ask(20, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(ask(1_000, false)).isZero();
        assertThat(ask(19, false)).isZero();
        assertThat(ask(1, false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void notOverRings() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventLoopKind(SocketKind.IO_URING, 50))
                .withMessage("--busy-poll 50 goes with --transport nio or epoll, not io_uring");
    }
}
