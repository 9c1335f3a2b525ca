package org.posthouse.mpj.failure;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A communicator's members, and what this rank knows of their failures. Guarded by its endpoint's lock. */
final class CommunicatorFailures {
    private final BitSet members = new BitSet();

    private int acknowledged;
    private int agreements;
    private boolean closed;

    /** The counts of an image. */
    record Counts(int acknowledged, int agreements) {
        void write(DataOutputStream image) throws IOException {
            image.writeInt(acknowledged);
            image.writeInt(agreements);
        }

        static Counts read(DataInputStream image) throws IOException {
            return new Counts(image.readInt(), image.readInt());
        }
    }

    /** @param counts of an image; null: nothing has happened */
    CommunicatorFailures(int[] members, Counts counts) {
        for (int member : members) {
            this.members.set(member);
        }
        if (counts != null) {
            goOn(counts);
        }
    }

    Counts counts() {
        return new Counts(acknowledged, agreements);
    }

    void goOn(Counts counts) {
        acknowledged = counts.acknowledged;
        agreements = counts.agreements;
    }

    BitSet members() {
        return members;
    }

    /** The members that have died, in the order of {@code deaths}. */
    List<Integer> failed(List<Integer> deaths) {
        List<Integer> failed = new ArrayList<>(deaths);
        failed.removeIf(rank -> !members.get(rank));
        return failed;
    }

    /** Acknowledges the first failures, as many as there are at most; returns how many are acknowledged. */
    int acknowledge(int count, List<Integer> deaths) {
        acknowledged = Math.max(acknowledged, Math.min(count, failed(deaths).size()));
        return acknowledged;
    }

    boolean isUnacknowledged(List<Integer> deaths) {
        return !deaths.isEmpty() && failed(deaths).size() > acknowledged;
    }

    /** The members whose failure is acknowledged. */
    BitSet acknowledged(List<Integer> deaths) {
        BitSet known = new BitSet();
        failed(deaths).subList(0, acknowledged).forEach(known::set);
        return known;
    }

    /** Number of the next agreement. */
    int nextAgreement() {
        return ++agreements;
    }

    boolean hasAgreed() {
        return agreements > 0;
    }

    /** The program has freed the communicator. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }
}
