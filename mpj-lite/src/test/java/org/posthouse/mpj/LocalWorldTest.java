package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Sink;

/** The tests' own machine: it must find what it is there to find. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LocalWorldTest {
    private static Content ints(int... values) {
        return Plain.content(Base.INT, values, 0, values.length);
    }

    private static Sink room(int count) {
        return Plain.sink(Base.INT, new int[count], 0, count);
    }

    @Test
    void deadlockErrorNamesEachRanksPendingReceive() {
        assertThatThrownBy(() -> new LocalWorld(2).run(end -> end.await(end.receive(0, 1 - end.rank(), 3, room(1)))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("rank-0 waits for receive from 1 tag 3")
                .hasMessageContaining("rank-1 waits for receive from 0 tag 3");
    }

    @Test
    void findsThatARankWaitsForOneThatIsGone() {
        assertThatThrownBy(() -> new LocalWorld(2).run(end -> {
            if (end.rank() == 0) {
                end.probe(0, 1, 0);
            }
        }))
                .hasMessageContaining("deadlock; rank-0 waits for probe of 1");
    }

    @Test
    void largeSendsWaitForTheirReceive() {
        LocalWorld.Body sendFirst = end -> {
            end.await(end.send(0, 1 - end.rank(), 0, ints(1, 2)));
            end.await(end.receive(0, 1 - end.rank(), 0, room(2)));
        };
        new LocalWorld(2).eagerBytesMax(8).run(sendFirst);
        assertThatThrownBy(() -> new LocalWorld(2).eagerBytesMax(7).run(sendFirst)).hasMessageContaining("deadlock");
    }

    @Test
    void reportsExceptionThrownByARank() {
        assertThatThrownBy(() -> new LocalWorld(3).run(end -> {
            if (end.rank() == 2) {
                throw new IllegalStateException("broken");
            }
            end.probe(0, 2, 0);
        }))
                .hasMessageContaining("rank 2: java.lang.IllegalStateException: broken");
    }

    @Test
    void contextsDoNotMix() {
        new LocalWorld(1).run(end -> {
            end.send(4, 0, 0, ints(1));
            assertThat(end.probe(4, 0, 0).elements()).isEqualTo(1);
            assertThat(end.tryProbe(5, 0, 0)).isNull();
        });
    }
}
