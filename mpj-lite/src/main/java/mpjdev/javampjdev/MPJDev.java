package mpjdev.javampjdev;

/** A name for stray imports; nobody can make one. */
public final class MPJDev {
    private MPJDev() {}
}
