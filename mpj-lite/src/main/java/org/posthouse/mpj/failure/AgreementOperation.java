package org.posthouse.mpj.failure;

import org.posthouse.mpj.operation.Operation;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;

/** An agreement that waits for its result. Guarded by its endpoint's lock. */
public final class AgreementOperation extends Operation {
    private final Agree part;
    private Agreed result;

    AgreementOperation(Agree part) {
        this.part = part;
    }

    /** This rank's part. */
    Agree part() {
        return part;
    }

    void decided(Agreed agreed) {
        result = agreed;
        complete(null, null);
    }

    /** The result; null until it is done. */
    public Agreed result() {
        return result;
    }
}
