package org.posthouse.mpj.operation;

/** A probe that can find nothing any more. */
public final class FailedProbeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ReceiveException failure;

    /** A probe that ended so. */
    public FailedProbeException(ReceiveException failure) {
        super(failure);
        this.failure = failure;
    }

    /** How it ended. */
    public ReceiveException failure() {
        return failure;
    }
}
