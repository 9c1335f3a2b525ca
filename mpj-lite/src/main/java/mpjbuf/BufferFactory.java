package mpjbuf;

/** A name for stray imports; nobody can make one. */
public final class BufferFactory {
    private BufferFactory() {}
}
