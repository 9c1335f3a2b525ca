package mpjdev;

/** A name for stray imports and handlers: nothing throws it. Unchecked, so that a handler for it compiles. */
public final class MPJDevException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private MPJDevException() {}
}
