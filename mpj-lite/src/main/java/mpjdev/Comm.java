package mpjdev;

/** A name for stray imports; nobody can make one. */
public final class Comm {
    private Comm() {}
}
