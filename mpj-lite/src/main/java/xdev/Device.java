package xdev;

/** A name for stray imports; nobody can make one. */
public final class Device {
    private Device() {}
}
