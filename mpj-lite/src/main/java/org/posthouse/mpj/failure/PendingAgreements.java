package org.posthouse.mpj.failure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/** The agreements that a rank takes part in and that have no result yet. Guarded by the endpoint's lock. */
final class PendingAgreements {
    private record Key(int context, int number) {}

    /** Writes a frame to the relay. */
    interface Writer {
        void write(ByteBuffer frame) throws IOException;
    }

    private final Writer relay;
    private final Map<Key, AgreementOperation> agreements = new LinkedHashMap<>();

    /** The rebuild that this process takes part in; null if it waits for none. */
    private AgreementOperation rebuild;

    PendingAgreements(Writer relay) {
        this.relay = relay;
    }

    /** Takes part in an agreement of a communicator's members. The caller flushes. */
    AgreementOperation join(Agree part) throws IOException {
        AgreementOperation operation = new AgreementOperation(part);
        agreements.put(new Key(part.context(), part.number()), operation);
        relay.write(part.encode());
        return operation;
    }

    /** Takes part in the next rebuild of the job; null if the process waits for one already. The caller flushes. */
    AgreementOperation joinRebuild(long job, int rank) throws IOException {
        if (rebuild != null) {
            return null;
        }
        BitSet self = new BitSet();
        self.set(rank);
        Agree part = new Agree(job, 0, rank, 1, Agree.Kind.REBUILD, 1, self, new BitSet());
        rebuild = new AgreementOperation(part);
        relay.write(part.encode());
        return rebuild;
    }

    /** The relay may not have got the rank's parts. A rebuild is not repeated: it is of a job without a log, whose connections do not come back. */
    void again() throws IOException {
        for (AgreementOperation agreement : agreements.values()) {
            relay.write(agreement.part().encode());
        }
    }

    boolean isEmpty() {
        return agreements.isEmpty();
    }

    /** @param mayRepeat whether the result may come again, or for an agreement to which the program has not come again yet */
    void onAgreed(Agreed agreed, boolean mayRepeat) throws WireException {
        AgreementOperation operation = take(agreed);
        if (operation != null) {
            operation.decided(agreed);
        } else if (!mayRepeat) {
            throw new WireException(CloseReason.NOT_EXPECTED, "AGREED " + agreed.number() + " of context " + agreed.context() + ", which was not asked for");
        }
    }

    private AgreementOperation take(Agreed agreed) {
        if (agreed.kind() != Agree.Kind.REBUILD) {
            return agreements.remove(new Key(agreed.context(), agreed.number()));
        }
        AgreementOperation operation = rebuild;
        rebuild = null;
        return operation;
    }
}
