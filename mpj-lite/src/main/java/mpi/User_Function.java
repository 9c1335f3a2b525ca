package mpi;

/** As {@link User_function}, in an older spelling that programs import. */
public abstract class User_Function extends User_function {}
