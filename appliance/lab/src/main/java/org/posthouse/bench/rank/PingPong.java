package org.posthouse.bench.rank;

import java.io.IOException;
import java.util.Arrays;

/** The round trip of one pair, over any carrier: the first partner sends and waits for the answer, and its time counts. */
final class PingPong implements BenchOperation {
    private final Transport transport;
    private final int rank;
    private final int peer;
    private final int bytes;

    PingPong(Transport transport, int rank, int peer, int bytes) {
        this.transport = transport;
        this.rank = rank;
        this.peer = peer;
        this.bytes = bytes;
        transport.resize(bytes);
    }

    @Override
    public boolean isTimed() {
        return rank < peer;
    }

    @Override
    public void run(int iteration) throws IOException {
        if (isTimed()) {
            transport.send();
            transport.receive();
        } else {
            transport.receive();
            transport.send();
        }
    }

    @Override
    public void fill() {
        transport.fill(contentOf(rank));
    }

    @Override
    public String fault(int iteration) {
        byte[] received = transport.received();
        int at = Arrays.mismatch(received, contentOf(peer));
        return at < 0 ? "" : BenchOperation.fault("byte", at, received[at], BenchOperation.content(peer, at));
    }

    private byte[] contentOf(int sender) {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = BenchOperation.content(sender, i);
        }
        return content;
    }
}
