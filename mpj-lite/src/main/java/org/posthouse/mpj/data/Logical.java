package org.posthouse.mpj.data;

/** A reduction of truth values. */
final class Logical extends Fold {
    /** Which function. */
    enum Kind {
        AND,
        OR,
        XOR
    }

    private final Kind kind;

    Logical(Kind kind) {
        this.kind = kind;
    }

    @Override
    public boolean accepts(Base base, int size) {
        return size == 1 && base == Base.BOOLEAN;
    }

    @Override
    public void fold(Object in, int inAt, Object inOut, int inOutAt, int count) {
        boolean[] left = (boolean[]) in;
        boolean[] right = (boolean[]) inOut;
        for (int i = 0; i < count; i++) {
            boolean a = left[inAt + i];
            boolean b = right[inOutAt + i];
            right[inOutAt + i] =
                    switch (kind) {
                        case AND -> a && b;
                        case OR -> a || b;
                        case XOR -> a ^ b;
                    };
        }
    }
}
