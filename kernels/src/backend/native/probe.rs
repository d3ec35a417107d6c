use super::lanes::*; use super::micro::*; use super::pack::*; use super::product::*; use crate::tile::*;
fn now()->f64{ let mut t=libc::timespec{tv_sec:0,tv_nsec:0}; unsafe{libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID,&mut t);} t.tv_sec as f64+t.tv_nsec as f64*1e-9}
#[test]
fn probe(){ unsafe {
  for huge in [false,true] { for n in [256usize,320,480,512,520,640] {
    let tiles=60; let mut src=Vec::<f64>::with_capacity(n*n*tiles+(1<<19));
    if huge { libc::madvise(((src.as_ptr() as usize+4095)&!4095) as *mut _,src.capacity()*8-4096,libc::MADV_HUGEPAGE); }
    src.resize(n*n*tiles,0.5);
    let mut rng=crate::kernel::trial::Draw::new(3);
    let mut res=vec![];
    for mode in 0..3 { let mut v=vec![]; 
    for _ in 0..60 { let mut ts=0.0;
      for _ in 0..3 {
      let (x,y,z)=((rng.bits()%tiles as u64) as usize,(rng.bits()%tiles as u64) as usize,(rng.bits()%tiles as u64) as usize);
      let (x,y,z)=match mode {0=>(x,y,z),1=>(0,1,2),_=>(0,0,0)};
      let p=src.as_mut_ptr();
      let a=TileRef::from_raw(p.add(x*n*n),n,n,1,n); let b=TileRef::from_raw(p.add(y*n*n),n,n,1,n).transposed();
      let c=TileMut::new(std::slice::from_raw_parts_mut(p.add(z*n*n),n*n),n,n);
      let t=now();
      multiply::<f64,Avx512>(Part::Whole,-1.0,a,b,1e-30,c); ts+=now()-t; }
      v.push(ts/3.0); }
    v.sort_by(f64::total_cmp); let f=2.0*(n as f64).powi(3)*1e-9; res.push((f/v[1],f/v[30])); }
    println!("huge {huge} n {n}: cold best {:.1} med {:.1}  warm {:.1} {:.1}  one {:.1} {:.1}",res[0].0,res[0].1,res[1].0,res[1].1,res[2].0,res[2].1);
  }}
}}
