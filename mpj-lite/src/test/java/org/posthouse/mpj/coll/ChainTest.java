package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;

/** Counts near the end of int: nothing is left out. */
class ChainTest {
    /** Complete at once. */
    private static final class Sent extends Operation {
        Sent() {
            complete(null, null);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65_536, 65_537, Integer.MAX_VALUE - 65_536, Integer.MAX_VALUE - 8, Integer.MAX_VALUE})
    void cutsAnyCountIntoSegments(int count) {
        long[] sent = new long[1];
        Endpoint endpoint = (Endpoint) Proxy.newProxyInstance(
                Endpoint.class.getClassLoader(), new Class<?>[] {Endpoint.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "siteOf":
                            return 0;
                        case "send":
                            sent[0] += ((Content) arguments[3]).bytes();
                            return new Sent();
                        default:
                            return null;
                    }
                });
        Peers peers = new Peers(endpoint, Algorithms.parse(""), 1, 0, new int[] {0, 1});
        peers.begin();
        // Nobody reads the elements: there need not be any.
        Region region = new Region(Base.BYTE, Layout.ONE, new byte[0], 0);
        new Chain(peers, new int[] {0, 1}).broadcast(region, count);
        assertThat(sent[0]).isEqualTo(count);
    }

    @Test
    void refusesBlocksThatOverflowInt() {
        int half = 1 << 30;
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> Blocks.even(half).total(3));
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> Blocks.even(half).position(2));
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> Blocks.adjacent(new int[] {half, half, half}, 3));
        Region pairs = new Region(Base.INT, Layout.dense(2), new int[0], 0);
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> pairs.content(0, half));
    }
}
