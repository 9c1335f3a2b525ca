package org.posthouse.bench.wan;

/** The parts of {@code bench wan}. */
public enum WanPart {
    /** Round trips and streams between each two sites. */
    LINKS,
    /** Round trips of short messages while a stream fills the same link. */
    BESIDE,
    /** Whole jobs over all sites. */
    JOBS
}
