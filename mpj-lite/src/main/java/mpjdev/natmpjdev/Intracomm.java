package mpjdev.natmpjdev;

/** A name for stray imports; nobody can make one. */
public final class Intracomm {
    private Intracomm() {}
}
