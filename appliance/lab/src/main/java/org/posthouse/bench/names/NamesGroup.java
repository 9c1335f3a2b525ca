package org.posthouse.bench.names;

import org.posthouse.names.NameService;

/** A back end that runs, with a connection for each of some front ends. */
interface NamesGroup extends AutoCloseable {
    /** Front ends of the elections; the first does the other experiments. */
    int FRONT_ENDS = 3;

    /** What runs, for people. */
    String label();

    /** A front end's connection, over the emulated way. The group closes it. */
    NameService frontEnd(int index);

    @Override
    void close();
}
